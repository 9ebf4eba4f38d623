package dev.claimstream.load.streams;

/** Claims got no response for too long. The message contains their number and the rate. */
public final class NoProgressException extends RuntimeException {
    private static final long serialVersionUID = 1;

    NoProgressException(String message) {
        super(message);
    }
}
