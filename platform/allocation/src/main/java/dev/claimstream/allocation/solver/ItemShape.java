package dev.claimstream.allocation.solver;

import dev.claimstream.dra.ClaimSpec;
import java.util.List;
import java.util.Optional;

/**
 * The part of a work item that decides where it fits; items of one shape share everything that was found out about nodes.
 *
 * @param accounting for what devices take of their node beside themselves; absent where that does not count
 */
public record ItemShape(List<ClaimSpec> specs, NodeRules rules, Optional<Accounting> accounting) {
    public ItemShape {
        specs = List.copyOf(specs);
    }

    /** An item whose devices take nothing of their node but themselves. */
    public ItemShape(List<ClaimSpec> specs, NodeRules rules) {
        this(specs, rules, Optional.empty());
    }

    /** The same item, if it took nothing of its node but devices. */
    public ItemShape withoutRequests() {
        return new ItemShape(specs, rules.withoutRequests());
    }
}
