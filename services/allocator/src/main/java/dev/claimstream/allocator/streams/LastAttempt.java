package dev.claimstream.allocator.streams;

import java.util.Optional;

/** The last recorded attempt at an input of one log, or why there is none. */
sealed interface LastAttempt {
    record StoredAttempt(InputAttempt value) implements LastAttempt {}

    record NoAttempt() implements LastAttempt {}

    /** The store did not respond in time; an attempt may be recorded. */
    record UnknownAttempt() implements LastAttempt {}

    /** The recorded attempt, if it is known. */
    default Optional<InputAttempt> attempt() {
        return this instanceof StoredAttempt(InputAttempt value) ? Optional.of(value) : Optional.empty();
    }
}
