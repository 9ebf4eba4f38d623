package dev.claimstream.kafka;

import org.apache.kafka.common.errors.SerializationException;

/** The bytes of a record cannot be decoded; for interfaces of Kafka that cannot return an error. */
public final class BadRecordException extends SerializationException {
    private static final long serialVersionUID = 1L;

    private final BadRecordReason reason;

    BadRecordException(String topic, DecodeResult.Failure<?> failure) {
        super("topic %s: %s: %s".formatted(topic, failure.reason().code(), failure.message()));
        this.reason = failure.reason();
    }

    public BadRecordReason reason() {
        return reason;
    }
}
