package dev.claimstream.kafka.registry;

import org.jspecify.annotations.Nullable;

/** The registry rejected a request or did not respond. */
public final class RegistryException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final RegistryErrorCode errorCode;

    public RegistryException(RegistryErrorCode reason, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.errorCode = reason;
    }

    static RegistryException of(RegistryErrorCode reason, String message) {
        return new RegistryException(reason, message, null);
    }

    /** The error code, for programs. */
    public RegistryErrorCode errorCode() {
        return errorCode;
    }

    /** Error codes, with their numbers in Confluent's protocol. */
    public enum RegistryErrorCode {
        UNKNOWN_SUBJECT(404, 40401),
        UNKNOWN_VERSION(404, 40402),
        /** No schema has this id, or the subject does not have this schema. */
        UNKNOWN_ID(404, 40403),
        /** The subject has no compatibility level of its own. */
        NO_LEVEL(404, 40408),
        /** The subject has no mode of its own. */
        NO_MODE(404, 40409),
        INCOMPATIBLE(409, 409),
        INVALID_SCHEMA(422, 42201),
        INVALID_VERSION(422, 42202),
        INVALID_LEVEL(422, 42203),
        INVALID_MODE(422, 42204),
        /** The mode of the subject does not permit the request. */
        NOT_PERMITTED(422, 42205),
        /** The registry has an internal error; a retry may succeed. */
        FAILED(500, 50001),
        /** The registry does not respond; a retry may succeed. */
        UNREACHABLE(503, 50301);

        private final int status;
        private final int code;

        RegistryErrorCode(int status, int code) {
            this.status = status;
            this.code = code;
        }

        int status() {
            return status;
        }

        int code() {
            return code;
        }

        /** Whether the error is independent of the schema, so that a retry may succeed. */
        public boolean isRetriable() {
            return this == FAILED || this == UNREACHABLE;
        }
    }
}
