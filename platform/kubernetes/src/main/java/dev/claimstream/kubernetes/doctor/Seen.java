package dev.claimstream.kubernetes.doctor;

import java.util.Optional;

/**
 * Result of a lookup in a cluster.
 *
 * @param <T> type of the content
 */
public sealed interface Seen<T> {
    /** It exists. */
    record Found<T>(T thing) implements Seen<T> {}

    /** It does not exist. */
    record Missing<T>() implements Seen<T> {}

    /** It could not be read. */
    record Hidden<T>(String why) implements Seen<T> {}

    /** Returns the content if it exists and could be read. */
    default Optional<T> value() {
        return this instanceof Found<T>(T found) ? Optional.of(found) : Optional.empty();
    }
}
