package dev.claimstream.load.streams;

/** Claims stay without an answer for longer than anybody waits. The message says how many and at which pace. */
public final class StuckException extends RuntimeException {
    private static final long serialVersionUID = 1;

    StuckException(String message) {
        super(message);
    }
}
