package dev.claimstream.history;

/**
 * The shared counters of a slice that exists.
 *
 * @param uid the slice
 */
record CounterFact(String uid, String driver, String pool, SliceCounters counters) {
    /** The pool as text: driver/pool. */
    String poolKey() {
        return driver + "/" + pool;
    }
}
