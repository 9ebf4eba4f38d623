package dev.claimstream.scenarios;

import dev.claimstream.dra.Allocation;
import java.util.List;

/** The result of solving the claims of a scenario. */
public sealed interface ScenarioDecision {
    /**
     * The claims can be allocated together on a node.
     *
     * @param allocations one for each claim, in the order of the scenario
     */
    record Allocated(String node, List<Allocation> allocations) implements ScenarioDecision {
        public Allocated {
            allocations = List.copyOf(allocations);
        }
    }

    /** The claims cannot be allocated; the reason is one line. */
    record Pending(String reason) implements ScenarioDecision {}

    /**
     * The claims cannot be decided because of an error.
     *
     * @param messages the message, with each form of the claim's name that upstream may use
     */
    record Failed(List<String> messages) implements ScenarioDecision {
        public Failed {
            if (messages.isEmpty()) {
                throw new IllegalArgumentException("an error needs a message");
            }
            messages = List.copyOf(messages);
        }
    }

    /** The search budget was exhausted before a result. */
    record BudgetExhausted(String reason) implements ScenarioDecision {}
}
