package dev.claimstream.selectors;

/** The expression is not valid for its purpose; the message has the reason in upstream's words. */
final class InvalidExpression extends Exception {
    private static final long serialVersionUID = 1L;

    InvalidExpression(String message) {
        super(message);
    }

    String text() {
        return String.valueOf(getMessage());
    }
}
