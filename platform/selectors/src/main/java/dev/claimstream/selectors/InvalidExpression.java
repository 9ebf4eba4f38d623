package dev.claimstream.selectors;

/** An expression that is no selector; the message says why, in upstream's words. */
final class InvalidExpression extends Exception {
    private static final long serialVersionUID = 1L;

    InvalidExpression(String message) {
        super(message);
    }

    String text() {
        return String.valueOf(getMessage());
    }
}
