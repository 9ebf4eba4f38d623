package dev.claimstream.audit;

import org.jspecify.annotations.Nullable;

/** The log or the archive cannot be read or written. The message names the place, the cause and the remedy. */
public final class AuditException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public AuditException(String message) {
        super(message);
    }

    public AuditException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
