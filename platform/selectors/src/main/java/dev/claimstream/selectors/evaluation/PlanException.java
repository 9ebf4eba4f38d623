package dev.claimstream.selectors.evaluation;

/** That an expression cannot be planned, in upstream's words. */
public final class PlanException extends Exception {
    private static final long serialVersionUID = 1L;

    PlanException(String message) {
        super(message);
    }

    /** What is wrong. */
    public String text() {
        return String.valueOf(getMessage());
    }
}
