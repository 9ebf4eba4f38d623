package dev.claimstream.allocation.solver;

import dev.claimstream.dra.Derivation;
import dev.claimstream.dra.Selector;

/** Result of a CEL expression for all devices with one read key. */
public sealed interface ExpressionResult {
    record MatchResult(Selector.Match match) implements ExpressionResult {}

    record DerivationResult(Derivation.DerivationOutcome value) implements ExpressionResult {}
}
