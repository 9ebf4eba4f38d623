package dev.claimstream.kafka;

/** The result of decoding the bytes of a record. */
public sealed interface DecodeResult<T> {
    /** The bytes are decoded; the value is not null. */
    record Value<T>(T value) implements DecodeResult<T> {}

    /** A tombstone: the record has no value. */
    record Tombstone<T>() implements DecodeResult<T> {}

    /** The bytes cannot be decoded; the message describes them. */
    record Failure<T>(BadRecordReason reason, String message) implements DecodeResult<T> {}
}
