package dev.claimstream.dra;

/** A compiled selector. Pure: equal devices give equal results. */
public interface Selector {
    /** Returns whether a device of this driver satisfies the selector. */
    Match test(String driver, Device device);

    /** Returns a digest of the expression and its semantics. Equal fingerprints have equal results. */
    String fingerprint();

    /** Returns a digest of everything that the selector reads from a device. */
    ReadKey key(String driver, Device device);

    /** Evaluates the selector, without a cache, and returns the result with its cost. */
    CostedAnswer<Match> evaluate(String driver, Device device);

    /** The result of a selector for one device. */
    sealed interface Match {
        /** The device satisfies the selector. */
        Match MATCH = new SelectorMatch();

        /** The device does not satisfy the selector. */
        Match MISMATCH = new SelectorMismatch();

        /** The device satisfies the selector. */
        record SelectorMatch() implements Match {}

        /** The device does not satisfy the selector. */
        record SelectorMismatch() implements Match {}

        /**
         * A failure: the expression does not compile, or evaluation failed on this device. A claim whose search reads the result cannot be
         * decided.
         *
         * @param message the text of upstream, for example {@code CEL runtime error: no such key: memory}
         */
        record SelectorError(String message) implements Match {}
    }
}
