package dev.claimstream.dra;

/** The compiled expression of a derived attribute. Pure: equal devices give equal results. */
public interface Derivation {
    /** Returns the value for a device of this driver. */
    DerivationOutcome of(String driver, Device device);

    /** Returns a digest of the expression and its semantics. Equal fingerprints have equal results. */
    String fingerprint();

    /** Returns a digest of everything that the expression reads from a device. */
    ReadKey key(String driver, Device device);

    /** Evaluates the expression, without a cache, and returns the value with its cost. */
    CostedAnswer<DerivationOutcome> evaluate(String driver, Device device);

    /** The result of a derivation for one device. */
    sealed interface DerivationOutcome {
        /** A computed value, never {@link AttributeValue.UnknownValue}. */
        record DerivedAttributeValue(AttributeValue value) implements DerivationOutcome {}

        /**
         * A failure: the expression does not compile, or evaluation failed on this device. A claim whose search reads the result cannot be
         * decided.
         *
         * @param message the text of upstream, without the names of attribute and device
         * @param isCompilation whether the expression fails on every device
         */
        record DerivationError(String message, boolean isCompilation) implements DerivationOutcome {}
    }
}
