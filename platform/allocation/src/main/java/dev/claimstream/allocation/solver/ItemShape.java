package dev.claimstream.allocation.solver;

import dev.claimstream.dra.ClaimSpec;
import java.util.List;

/** The part of a work item that decides where it fits; items of one shape share everything that was found out about nodes. */
public record ItemShape(List<ClaimSpec> specs, NodeRules rules) {
    public ItemShape {
        specs = List.copyOf(specs);
    }

    /** The same item, if it took nothing of its node but devices. */
    ItemShape withoutRequests() {
        return new ItemShape(specs, rules.withoutRequests());
    }
}
