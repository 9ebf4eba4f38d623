package dev.claimstream.watcher;

import dev.claimstream.dra.Kind;
import dev.claimstream.kubernetes.ClusterWatch;
import dev.claimstream.watcher.streams.PublishedClusterReader;
import java.util.Optional;

/**
 * A cluster whose objects are listed only if the topics have no objects of another one. A watcher of another cluster
 * would otherwise withdraw all claims at the end of its first lists. Safe for many threads.
 */
final class IdentifiedCluster implements ClusterWatch {
    private final ClusterWatch cluster;
    private final PublishedClusterReader reader;
    private boolean isConfirmed;

    IdentifiedCluster(ClusterWatch cluster, PublishedClusterReader reader) {
        this.cluster = cluster;
        this.reader = reader;
    }

    /**
     * Lists the objects of a kind.
     *
     * @throws ClusterMismatchException if the topics have objects of another cluster
     */
    @Override
    public long list(Kind kind, PageListener listing) {
        requireSame();
        return cluster.list(kind, listing);
    }

    @Override
    public Subscription watch(Kind kind, long version, WatchListener listener) {
        return cluster.watch(kind, version, listener);
    }

    @Override
    public Optional<String> identity() {
        return cluster.identity();
    }

    private synchronized void requireSame() {
        if (isConfirmed) {
            return;
        }
        Optional<String> own = cluster.identity();
        if (own.isPresent()) {
            reader.uid().filter(each -> !each.equals(own.get())).ifPresent(each -> {
                throw new ClusterMismatchException(each, own.get());
            });
        }
        isConfirmed = true;
    }
}
