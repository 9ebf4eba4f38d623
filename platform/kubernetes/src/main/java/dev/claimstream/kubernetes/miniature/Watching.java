package dev.claimstream.kubernetes.miniature;

import dev.claimstream.dra.Kind;
import dev.claimstream.kubernetes.ClusterWatch;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Delivers changes to one listener at its own pace, on its own thread. */
final class Watching implements ClusterWatch.Subscription {
    private static final Logger LOG = LoggerFactory.getLogger(Watching.class);

    private final Shown shown;
    private final Kind kind;
    private final ClusterWatch.Listener listener;
    private final BooleanSupplier clusterIsClosed;
    private volatile boolean closed;

    Watching(Shown shown, Kind kind, ClusterWatch.Listener listener, BooleanSupplier clusterIsClosed) {
        this.shown = shown;
        this.kind = kind;
        this.listener = listener;
        this.clusterIsClosed = clusterIsClosed;
    }

    void start(long version) {
        Thread.ofVirtual().name("watch-" + kind.apiName()).start(() -> run(version));
    }

    private void run(long version) {
        try {
            tellFrom(version);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException e) {
            LOG.atError().addKeyValue("kind", kind).setCause(e).log("a listener failed: it is told nothing more");
        } finally {
            shown.leave(this);
        }
    }

    private void tellFrom(long from) throws InterruptedException {
        long version = from;
        while (true) {
            switch (shown.next(this, kind, version, () -> closed || clusterIsClosed.getAsBoolean())) {
                case Shown.Next.Changes(var changes) -> {
                    changes.forEach(this::tell);
                    version = changes.getLast().object().version();
                }
                case Shown.Next.Missed(String why) -> {
                    listener.ended(why);
                    return;
                }
                case Shown.Next.Closed() -> {
                    if (!closed) {
                        listener.ended("the cluster is closed");
                    }
                    return;
                }
            }
        }
    }

    private void tell(Event change) {
        if (closed) {
            return;
        }
        if (change.gone()) {
            listener.gone(change.object().versioned());
        } else {
            listener.changed(change.object().versioned());
        }
    }

    @Override
    public void close() {
        closed = true;
        shown.wake();
    }
}
