package dev.claimstream.scenarios;

import dev.claimstream.dra.Allocation;
import java.util.List;

/** The result of solving the claims of a scenario. */
public sealed interface Decision {
    /**
     * The claims can be allocated together on a node.
     *
     * @param allocations one for each claim, in the order of the scenario
     */
    record Fits(String node, List<Allocation> allocations) implements Decision {
        public Fits {
            allocations = List.copyOf(allocations);
        }
    }

    /** The claims cannot be allocated; the reason is one line. */
    record DoesNotFit(String why) implements Decision {}

    /**
     * The claims cannot be decided because of an error.
     *
     * @param wordings the message, with each form of the claim's name that upstream may use
     */
    record Fails(List<String> wordings) implements Decision {
        public Fails {
            if (wordings.isEmpty()) {
                throw new IllegalArgumentException("an error needs a message");
            }
            wordings = List.copyOf(wordings);
        }
    }

    /** The search budget was exhausted before a result. */
    record Undecided(String why) implements Decision {}
}
