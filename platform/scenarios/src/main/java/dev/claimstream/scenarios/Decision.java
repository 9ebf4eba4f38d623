package dev.claimstream.scenarios;

import dev.claimstream.dra.Allocation;
import java.util.List;

/** What became of the claims of a scenario. */
public sealed interface Decision {
    /**
     * They fit together on a node.
     *
     * @param allocations one for each claim, in the order of the scenario
     */
    record Fits(String node, List<Allocation> allocations) implements Decision {
        public Fits {
            allocations = List.copyOf(allocations);
        }
    }

    /** They do not fit; why, in one line. */
    record DoesNotFit(String why) implements Decision {}

    /**
     * They cannot be decided.
     *
     * @param wordings the message, with the claim named in each way in which upstream may name it
     */
    record Fails(List<String> wordings) implements Decision {
        public Fails {
            if (wordings.isEmpty()) {
                throw new IllegalArgumentException("an error needs a message");
            }
            wordings = List.copyOf(wordings);
        }
    }

    /** The effort was spent before an answer. */
    record Undecided(String why) implements Decision {}
}
