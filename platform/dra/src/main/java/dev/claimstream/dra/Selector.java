package dev.claimstream.dra;

/** A compiled selector. It is pure: the same device gives the same answer. */
public interface Selector {
    /** Whether a device of this driver satisfies the selector. */
    Match test(String driver, Device device);

    /** Digest of the expression and its meaning: equal fingerprints have equal answers. */
    String fingerprint();

    /** Digest of what the selector reads of a device. */
    ReadKey key(String driver, Device device);

    /** The answer for a device with its cost; every call evaluates. */
    CostedAnswer<Match> evaluate(String driver, Device device);

    /** What a selector says of a device. */
    sealed interface Match {
        /** It fits. */
        Match YES = new Yes();

        /** It does not fit. */
        Match NO = new No();

        /** It fits. */
        record Yes() implements Match {}

        /** It does not fit. */
        record No() implements Match {}

        /**
         * The expression does not compile, or failed on this device; the claim cannot be decided where the search meets it.
         *
         * @param message as upstream words it, for example {@code CEL runtime error: no such key: memory}
         */
        record Failed(String message) implements Match {}
    }
}
