package dev.claimstream.kafka;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The topics of a cluster differ from the contracts, or the cluster did not respond.
 *
 * <p>The message names the topics and the remedy.
 */
public final class TopicsException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private TopicsException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }

    static TopicsException mismatch(List<String> differences) {
        return new TopicsException(
                ("%s: change the topic with Kafka's tools, or set the number of cells to the one that the cluster was made"
                                + " for. Partitions are never changed under keys that are there.")
                        .formatted(String.join("; ", differences)),
                null);
    }

    static TopicsException requestFailed(String what, @Nullable Throwable cause) {
        return new TopicsException(
                "%s failed: %s. Check that the cluster is up and that this user may do it."
                        .formatted(what, cause == null ? "no answer" : reason(cause)),
                cause);
    }

    static TopicsException interrupted(String what, InterruptedException cause) {
        Thread.currentThread().interrupt();
        return new TopicsException(what + " was interrupted", cause);
    }

    /** A copy whose message also names the brokers. */
    TopicsException withBootstrap(String bootstrap) {
        return new TopicsException("%s: %s".formatted(bootstrap, getMessage()), this);
    }

    private static String reason(Throwable cause) {
        return cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage();
    }
}
