package dev.claimstream.audit;

/** A log does not contain the log of an earlier checkpoint. The message names each ledger with its cell, offsets and heads. */
public final class LogReplacedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    LogReplacedException(String message) {
        super(message);
    }
}
