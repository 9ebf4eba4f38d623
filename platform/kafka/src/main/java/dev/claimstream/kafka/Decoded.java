package dev.claimstream.kafka;

/** The result of decoding the bytes of a record. */
public sealed interface Decoded<T> {
    /** A value. */
    record Value<T>(T value) implements Decoded<T> {}

    /** A tombstone: the record has no value. */
    record Tombstone<T>() implements Decoded<T> {}

    /** The bytes cannot be decoded; the message describes them. */
    record Bad<T>(BadReason reason, String message) implements Decoded<T> {}
}
