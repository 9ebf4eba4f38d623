package dev.claimstream.dra;

/** Compiles the CEL expressions of classes and requests. Implementations may cache; results do not depend on caches. */
public interface Selectors {
    /** Compiles a selector. If the expression does not compile, the selector returns {@link Selector.Match.SelectorError} for every device. */
    Selector compile(String expression);

    /** Compiles a derivation. If the expression does not compile, it returns {@link Derivation.DerivationOutcome.DerivationError} for every device. */
    Derivation derive(String expression);

    /** Returns the cost of compiling an expression, cached or not. The unit is one character of a long expression. */
    long compilationCost(String expression);
}
