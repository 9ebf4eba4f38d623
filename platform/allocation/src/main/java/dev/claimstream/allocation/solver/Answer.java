package dev.claimstream.allocation.solver;

import dev.claimstream.dra.Derivation;
import dev.claimstream.dra.Selector;

/** What an expression answers for devices of one read key. */
public sealed interface Answer {
    /** Of a selector. */
    record Matched(Selector.Match match) implements Answer {}

    /** Of a derived attribute. */
    record Derived(Derivation.Value value) implements Answer {}
}
