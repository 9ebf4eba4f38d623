package dev.claimstream.allocation.inventory;

/** The name of a shared counter in its counter set. */
public record CounterName(String set, String name) {
    /** Returns {@code set/name} for messages. */
    public String text() {
        return set + "/" + name;
    }
}
