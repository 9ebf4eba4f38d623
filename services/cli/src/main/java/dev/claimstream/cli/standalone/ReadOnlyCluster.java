package dev.claimstream.cli.standalone;

import dev.claimstream.dra.Kind;
import dev.claimstream.kubernetes.ClusterWatch;
import java.util.Optional;

/** A client that can only list and watch, so that no service finds a client to write with. */
record ReadOnlyCluster(ClusterWatch cluster) implements ClusterWatch {
    @Override
    public long list(Kind kind, PageListener listing) {
        return cluster.list(kind, listing);
    }

    @Override
    public Optional<String> identity() {
        return cluster.identity();
    }

    @Override
    public Subscription watch(Kind kind, long version, WatchListener listener) {
        return cluster.watch(kind, version, listener);
    }
}
