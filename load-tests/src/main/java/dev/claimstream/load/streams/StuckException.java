package dev.claimstream.load.streams;

/** Claims got no response for too long. The message contains their number and the rate. */
public final class StuckException extends RuntimeException {
    private static final long serialVersionUID = 1;

    StuckException(String message) {
        super(message);
    }
}
