package dev.claimstream.allocation.solver;

import dev.claimstream.dra.Derivation;
import dev.claimstream.dra.Selector;

/** Result of a CEL expression for all devices with one read key. */
public sealed interface ExpressionResult {
    /** Result of a selector. */
    record MatchResult(Selector.Match match) implements ExpressionResult {}

    /** Result of a derived attribute. */
    record DerivationResult(Derivation.DerivationOutcome value) implements ExpressionResult {}
}
