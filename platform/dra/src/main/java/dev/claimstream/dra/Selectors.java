package dev.claimstream.dra;

/** Compiles the CEL expressions of classes and requests. Implementations cache; the answers do not depend on the cache. */
public interface Selectors {
    /** The selector of an expression; one that does not compile answers every device with {@link Selector.Match.Failed}. */
    Selector compile(String expression);

    /** The derivation of an expression; one that does not compile answers every device with {@link Derivation.Value.Failed}. */
    Derivation derive(String expression);

    /** What it costs to compile an expression, whether or not it is cached; the unit is one character of a long expression. */
    long compilationCost(String expression);
}
