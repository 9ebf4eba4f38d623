package dev.claimstream.kafka;

/** What the bytes of a record say. */
public sealed interface Decoded<T> {
    /** A value. */
    record Value<T>(T value) implements Decoded<T> {}

    /** A tombstone: no bytes at all. */
    record Tombstone<T>() implements Decoded<T> {}

    /** No value; the message says what was found. */
    record Bad<T>(BadReason reason, String message) implements Decoded<T> {}
}
