package dev.claimstream.load.services;

import dev.claimstream.dra.Kind;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.kubernetes.ClusterFault;
import dev.claimstream.kubernetes.ClusterWatch;
import dev.claimstream.kubernetes.VersionedObject;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Reports claims with an allocation, from a list and a watch. If the watch ends, for example because the API server
 * restarts, it lists again, so that a claim is reported more than once.
 */
final class AllocationWatch implements AutoCloseable {
    private static final long PAUSE_MS = 100;

    private final ClusterWatch cluster;
    private final Consumer<ResourceClaim> onAllocated;
    private final CountDownLatch started = new CountDownLatch(1);
    private final Thread thread =
            Thread.ofPlatform().daemon().name("load-watch").unstarted(this::follow);
    private volatile boolean isClosed;

    private AllocationWatch(ClusterWatch cluster, Consumer<ResourceClaim> onAllocated) {
        this.cluster = cluster;
        this.onAllocated = onAllocated;
    }

    /**
     * Starts, and returns when the watch runs.
     *
     * @param onAllocated is called by a thread of the watch
     */
    static AllocationWatch start(ClusterWatch cluster, Consumer<ResourceClaim> onAllocated)
            throws InterruptedException {
        var watch = new AllocationWatch(cluster, onAllocated);
        watch.thread.start();
        watch.started.await();
        return watch;
    }

    private void follow() {
        while (!isClosed) {
            try {
                followOnce();
            } catch (ClusterFault _) {
                pause();
            } catch (InterruptedException _) {
                return;
            }
        }
    }

    private void followOnce() throws InterruptedException {
        var ended = new CountDownLatch(1);
        var list = cluster.list(Kind.RESOURCE_CLAIM);
        list.objects().forEach(this::report);
        var subscription = cluster.watch(Kind.RESOURCE_CLAIM, list.version(), new ClusterWatch.WatchListener() {
            @Override
            public void onUpsert(VersionedObject object) {
                report(object);
            }

            @Override
            public void onDelete(VersionedObject object) {}

            @Override
            public void onEnd(String why) {
                ended.countDown();
            }
        });
        started.countDown();
        try {
            ended.await();
        } finally {
            subscription.close();
        }
    }

    private void report(VersionedObject object) {
        if (object.object() instanceof ResourceClaim claim && claim.allocation().isPresent()) {
            onAllocated.accept(claim);
        }
    }

    private static void pause() {
        try {
            TimeUnit.MILLISECONDS.sleep(PAUSE_MS);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        isClosed = true;
        thread.interrupt();
    }
}
