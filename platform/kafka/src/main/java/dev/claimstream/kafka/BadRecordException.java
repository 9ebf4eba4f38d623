package dev.claimstream.kafka;

import org.apache.kafka.common.errors.SerializationException;

/** The bytes of a record are no value; thrown where Kafka's interfaces leave no other way. */
public final class BadRecordException extends SerializationException {
    private static final long serialVersionUID = 1L;

    private final BadReason reason;

    BadRecordException(String topic, Decoded.Bad<?> bad) {
        super("topic %s: %s: %s".formatted(topic, bad.reason().code(), bad.message()));
        this.reason = bad.reason();
    }

    /** Why. */
    public BadReason reason() {
        return reason;
    }
}
