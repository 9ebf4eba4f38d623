package dev.claimstream.kubernetes.doctor;

import java.util.Optional;

/** What a look at something gave. */
public sealed interface Seen<T> {
    /** It is there. */
    record Found<T>(T thing) implements Seen<T> {}

    /** It is not there. */
    record Missing<T>() implements Seen<T> {}

    /** Nobody knows. */
    record Hidden<T>(String why) implements Seen<T> {}

    /** What is there, if it is known to be. */
    default Optional<T> value() {
        return this instanceof Found<T>(T found) ? Optional.of(found) : Optional.empty();
    }
}
