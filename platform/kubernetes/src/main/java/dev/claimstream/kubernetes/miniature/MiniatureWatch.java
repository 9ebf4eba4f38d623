package dev.claimstream.kubernetes.miniature;

import dev.claimstream.dra.Kind;
import dev.claimstream.kubernetes.ClusterWatch;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Delivers changes to one listener at its own pace, on its own thread. */
final class MiniatureWatch implements ClusterWatch.Subscription {
    private static final Logger LOG = LoggerFactory.getLogger(MiniatureWatch.class);

    private final WatchCache watchCache;
    private final Kind kind;
    private final ClusterWatch.WatchListener listener;
    private final BooleanSupplier clusterIsClosed;
    private volatile boolean closed;

    MiniatureWatch(
            WatchCache watchCache, Kind kind, ClusterWatch.WatchListener listener, BooleanSupplier clusterIsClosed) {
        this.watchCache = watchCache;
        this.kind = kind;
        this.listener = listener;
        this.clusterIsClosed = clusterIsClosed;
    }

    void start(long version) {
        Thread.ofVirtual().name("watch-" + kind.apiName()).start(() -> run(version));
    }

    private void run(long version) {
        try {
            deliverFrom(version);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException e) {
            LOG.atError().addKeyValue("kind", kind).setCause(e).log("a listener failed; it gets no more events");
        } finally {
            watchCache.unsubscribe(this);
        }
    }

    private void deliverFrom(long from) throws InterruptedException {
        long version = from;
        while (true) {
            switch (watchCache.poll(this, kind, version, () -> closed || clusterIsClosed.getAsBoolean())) {
                case WatchCache.PollResult.NewChanges(var changes) -> {
                    changes.forEach(this::deliver);
                    version = changes.getLast().object().version();
                }
                case WatchCache.PollResult.Expired(String reason) -> {
                    listener.onEnd(reason);
                    return;
                }
                case WatchCache.PollResult.Closed() -> {
                    if (!closed) {
                        listener.onEnd("the cluster is closed");
                    }
                    return;
                }
            }
        }
    }

    private void deliver(ObjectChange change) {
        if (closed) {
            return;
        }
        if (change.isDeleted()) {
            listener.onDelete(change.object().versionedObject());
        } else {
            listener.onUpsert(change.object().versionedObject());
        }
    }

    @Override
    public void close() {
        closed = true;
        watchCache.wake();
    }
}
