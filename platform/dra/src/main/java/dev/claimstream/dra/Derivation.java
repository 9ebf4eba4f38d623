package dev.claimstream.dra;

/** The compiled expression of a derived attribute. It is pure: the same device gives the same answer. */
public interface Derivation {
    /** The value for a device of this driver. */
    Value of(String driver, Device device);

    /** Digest of the expression and its meaning: equal fingerprints have equal answers. */
    String fingerprint();

    /** Digest of what the expression reads of a device. */
    ReadKey key(String driver, Device device);

    /** The value for a device with its cost; every call evaluates. */
    CostedAnswer<Value> evaluate(String driver, Device device);

    /** What an expression says of a device. */
    sealed interface Value {
        /** A value; {@link AttributeValue.Unknown} is never one. */
        record Found(AttributeValue value) implements Value {}

        /**
         * The expression does not compile, or failed on this device; the claim cannot be decided where the search meets it.
         *
         * @param message as upstream words it, without the name of attribute and device
         * @param isCompilation whether it fails on every device
         */
        record Failed(String message, boolean isCompilation) implements Value {}
    }
}
