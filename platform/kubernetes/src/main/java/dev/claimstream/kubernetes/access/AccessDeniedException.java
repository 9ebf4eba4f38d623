package dev.claimstream.kubernetes.access;

/** A request is rejected. The message names no object that the caller may not see. */
public final class AccessDeniedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final int status;
    private final String where;
    private final String remedy;

    /**
     * Creates the exception.
     *
     * @param status HTTP status code
     * @param where header, parameter or path with the error
     */
    public AccessDeniedException(int status, String message, String where, String remedy) {
        super(message, null, false, false);
        this.status = status;
        this.where = where;
        this.remedy = remedy;
    }

    /** Returns the HTTP status code. */
    public int status() {
        return status;
    }

    /** Returns what failed. */
    public String problem() {
        return String.valueOf(getMessage());
    }

    public String where() {
        return where;
    }

    public String remedy() {
        return remedy;
    }
}
