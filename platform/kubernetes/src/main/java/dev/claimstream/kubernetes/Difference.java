package dev.claimstream.kubernetes;

import java.util.Optional;

/**
 * A field of a claim's status that is not stored as it was decided.
 *
 * @param field path below {@code status}, for example {@code allocation.devices.results[0].shareID}
 * @param decided as JSON has it, shortened; absent: nothing was to stand there
 * @param stored the same; absent: nothing stands there, as where a server leaves out a field whose feature gate is off
 */
public record Difference(String field, Optional<String> decided, Optional<String> stored) {
    /** In words. */
    @Override
    public String toString() {
        return decided.isPresent() && stored.isEmpty()
                ? field
                : "%s (decided: %s, stored: %s)".formatted(field, decided.orElse("nothing"), stored.orElse("nothing"));
    }
}
