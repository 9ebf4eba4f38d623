package dev.claimstream.allocation.solver;

import dev.claimstream.dra.ClaimSpec;
import java.util.List;
import java.util.Optional;

/**
 * The part of a work item that decides where it fits. Items of one shape share the index of the nodes. Its string form
 * is part of digests that rows store.
 *
 * @param accounting how the pod accounts for node resources that devices consume; absent if they do not count
 */
public record ItemShape(List<ClaimSpec> specs, NodeRules rules, Optional<Accounting> accounting) {
    public ItemShape {
        specs = List.copyOf(specs);
    }

    /** Creates the shape of an item whose devices consume no node resources. */
    public ItemShape(List<ClaimSpec> specs, NodeRules rules) {
        this(specs, rules, Optional.empty());
    }

    /** Returns the shape without requests for node resources. */
    public ItemShape withoutRequests() {
        return new ItemShape(specs, rules.withoutRequests());
    }
}
