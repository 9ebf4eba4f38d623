package dev.claimstream.scenarios;

import java.util.Optional;

/**
 * The result of a scenario.
 *
 * @param difference from the expectation, in lines; absent if the scenario passed
 */
public record ScenarioResult(String name, Optional<String> difference) {
    /** Returns whether the expectation was met. */
    public boolean passed() {
        return difference.isEmpty();
    }
}
