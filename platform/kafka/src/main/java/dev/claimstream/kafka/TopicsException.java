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
                ("%s: change the topic with Kafka's tools, or set the number of cells to the one that the topics were created"
                                + " with. Claimstream does not change partitions of topics that have records.")
                        .formatted(String.join("; ", differences)),
                null);
    }

    static TopicsException requestFailed(String what, @Nullable Throwable cause) {
        return new TopicsException(
                "%s failed: %s. Check that Kafka is up and that this user has the permission."
                        .formatted(what, cause == null ? "no response" : reason(cause)),
                cause);
    }

    static TopicsException interrupted(String what, InterruptedException cause) {
        Thread.currentThread().interrupt();
        return new TopicsException(what + " was interrupted", cause);
    }

    /** A copy whose message also names the brokers and, if Kafka denies a permission, the principal and the resource. */
    TopicsException with(KafkaConnection kafka) {
        return new TopicsException(
                AuthorizationFault.text(this, kafka)
                        .orElseGet(() -> "%s: %s".formatted(kafka.bootstrap(), getMessage())),
                this);
    }

    private static String reason(Throwable cause) {
        return cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage();
    }
}
