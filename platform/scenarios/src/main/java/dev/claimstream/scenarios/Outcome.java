package dev.claimstream.scenarios;

import java.util.Optional;

/**
 * How a scenario ended.
 *
 * @param difference from what was expected, in lines; absent where it passed
 */
public record Outcome(String name, Optional<String> difference) {
    /** Whether everything was as expected. */
    public boolean passed() {
        return difference.isEmpty();
    }
}
