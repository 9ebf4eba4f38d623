package dev.claimstream.kubernetes.status;

import java.util.Optional;

/**
 * A field of a claim's status that is not stored as it was decided.
 *
 * @param field path below {@code status}, for example {@code allocation.devices.results[0].shareID}
 * @param decided decided value as shortened JSON; absent: the field was to be absent
 * @param stored stored value as shortened JSON; absent: the field is not stored, for example because its feature gate is off
 */
public record Difference(String field, Optional<String> decided, Optional<String> stored) {
    /** Returns the field, followed by both values unless the server merely dropped the field. */
    @Override
    public String toString() {
        return decided.isPresent() && stored.isEmpty()
                ? field
                : "%s (decided: %s, stored: %s)".formatted(field, decided.orElse("nothing"), stored.orElse("nothing"));
    }
}
