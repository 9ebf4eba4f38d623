package dev.claimstream.selectors.functions;

/** That a call has no value; the message is the error of the evaluation. Has no stack trace: an expression can make a million of them. */
final class CallError extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    CallError(String message) {
        super(message);
    }

    CallError(String message, Throwable cause) {
        super(message, cause);
    }

    @Override
    @SuppressWarnings("UnsynchronizedOverridesSynchronized") // does nothing
    public Throwable fillInStackTrace() {
        return this;
    }
}
