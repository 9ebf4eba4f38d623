package dev.claimstream.watcher.streams;

/** The broker or the schema registry did not accept records; the caller publishes them again later. */
public final class PublishException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    PublishException(String message, Throwable cause) {
        super(message, cause);
    }
}
