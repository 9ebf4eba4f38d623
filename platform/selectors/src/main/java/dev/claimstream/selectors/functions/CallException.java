package dev.claimstream.selectors.functions;

/**
 * The error of a call; the message becomes the error of the evaluation.
 *
 * <p>It has no stack trace: one expression can cause a million of these errors.
 */
final class CallException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    CallException(String message) {
        super(message);
    }

    CallException(String message, Throwable cause) {
        super(message, cause);
    }

    @Override
    @SuppressWarnings("UnsynchronizedOverridesSynchronized") // does nothing
    public Throwable fillInStackTrace() {
        return this;
    }
}
