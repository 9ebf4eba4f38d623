package dev.claimstream.kubernetes.doctor;

import java.util.Optional;

/**
 * Result of a lookup in a cluster.
 *
 * @param <T> type of the content
 */
public sealed interface LookupResult<T> {
    /** The object exists. */
    record Value<T>(T content) implements LookupResult<T> {}

    /** The object does not exist. */
    record NotFound<T>() implements LookupResult<T> {}

    /** The object could not be read. */
    record Failure<T>(String message) implements LookupResult<T> {}

    /** Returns the content if it exists and could be read. */
    default Optional<T> value() {
        return this instanceof Value<T>(T found) ? Optional.of(found) : Optional.empty();
    }
}
