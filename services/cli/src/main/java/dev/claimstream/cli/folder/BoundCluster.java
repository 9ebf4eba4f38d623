package dev.claimstream.cli.folder;

import java.util.Optional;

/**
 * The cluster that a data folder belongs to.
 *
 * @param id unique id, whatever the address of the cluster is
 * @param server URL of the API server at the last start; empty for the simulated cluster, and in a folder of an earlier version
 */
public record BoundCluster(String id, Optional<String> server) {
    /** The simulated cluster. */
    public static final BoundCluster MINIATURE = new BoundCluster("miniature", Optional.empty());

    /** Describes the cluster for people. */
    @Override
    public String toString() {
        if (id.equals(MINIATURE.id)) {
            return ClusterKind.IN_MEMORY.toString();
        }
        return server.map(url -> "the cluster at %s (id %s)".formatted(url, id)).orElse("the cluster with id " + id);
    }
}
