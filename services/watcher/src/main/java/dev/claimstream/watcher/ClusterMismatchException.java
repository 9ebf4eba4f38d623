package dev.claimstream.watcher;

/** The topics have the objects of another cluster. The message names both and the remedy. */
public final class ClusterMismatchException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    ClusterMismatchException(String published, String own) {
        super(
                ("Kafka has the objects of another cluster (uid of kube-system %s), and this watcher watches cluster %s: one Kafka serves one"
                                + " cluster; use another Kafka, or delete all topics if the other cluster no longer exists")
                        .formatted(published, own));
    }
}
