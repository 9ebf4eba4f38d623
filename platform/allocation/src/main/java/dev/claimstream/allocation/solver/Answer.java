package dev.claimstream.allocation.solver;

import dev.claimstream.dra.Derivation;
import dev.claimstream.dra.Selector;

/** Result of a CEL expression for all devices with one read key. */
public sealed interface Answer {
    /** Result of a selector. */
    record Matched(Selector.Match match) implements Answer {}

    /** Result of a derived attribute. */
    record Derived(Derivation.Value value) implements Answer {}
}
