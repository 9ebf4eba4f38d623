package dev.claimstream.selectors;

/** The expression is not valid for its purpose; the message has the reason in upstream's words. */
final class InvalidExpressionException extends Exception {
    private static final long serialVersionUID = 1L;

    InvalidExpressionException(String message) {
        super(message);
    }

    String text() {
        return String.valueOf(getMessage());
    }
}
