package dev.claimstream.history.store;

import org.jspecify.annotations.Nullable;

/** A question cannot be answered, or the store cannot be read or written. The message names the place, the cause and the remedy. */
public final class HistoryException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final HistoryProblem problem;

    /** The kinds of errors, by which programs tell them apart. */
    public enum HistoryProblem {
        /** The question itself is wrong: an unknown device, an invalid time, SQL that is not a SELECT. */
        INVALID_QUESTION,
        /** The time is before the beginning of the log. */
        BEFORE_LOG,
        /** The caller may not ask this. */
        FORBIDDEN,
        /** A query has reached its limit of time. */
        QUERY_TIMEOUT,
        /** A query has reached its limit of memory or rows. */
        QUERY_TOO_LARGE,
        /** The disk of the store is full. */
        DISK_FULL,
        /** The file is of a newer release. */
        NEWER_FILE,
        /** The store cannot be read or written for another reason. */
        STORE_FAILED
    }

    public HistoryException(HistoryProblem problem, String message) {
        this(problem, message, null);
    }

    public HistoryException(HistoryProblem problem, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.problem = problem;
    }

    public HistoryProblem problem() {
        return problem;
    }
}
