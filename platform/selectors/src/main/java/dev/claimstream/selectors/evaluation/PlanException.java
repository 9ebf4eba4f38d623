package dev.claimstream.selectors.evaluation;

/** The expression cannot be planned; the message is in upstream's words. */
public final class PlanException extends Exception {
    private static final long serialVersionUID = 1L;

    PlanException(String message) {
        super(message);
    }

    /** Returns the message in upstream's words. */
    public String text() {
        return String.valueOf(getMessage());
    }
}
