package dev.claimstream.watcher;

import dev.claimstream.dra.ClusterObject;
import dev.claimstream.dra.Pod;
import dev.claimstream.dra.PodClaim;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.kubernetes.ClusterWatch;
import dev.claimstream.kubernetes.VersionedObject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Event of a watch, passed from the thread of the watch to the thread that publishes. */
sealed interface WatchEvent {
    record Upserted(VersionedObject object) implements WatchEvent {
        @Override
        public boolean isUrgent() {
            return switch (object.object()) {
                case ResourceClaim claim -> claim.allocation().isEmpty();
                case Pod pod -> pod.finished() || (pod.isGated() && hasAllClaims(pod));
                case ClusterObject _ -> true;
            };
        }

        private static boolean hasAllClaims(Pod pod) {
            return pod.resourceClaims().stream()
                    .noneMatch(each -> each.source() instanceof PodClaim.ClaimSource.TemplateReference);
        }
    }

    record Deleted(VersionedObject object) implements WatchEvent {
        @Override
        public boolean isUrgent() {
            return switch (object.object()) {
                case ResourceClaim _ -> false;
                case Pod pod -> !pod.finished() && !pod.resourceClaims().isEmpty();
                case ClusterObject _ -> true;
            };
        }
    }

    record WatchEnded(String reason) implements WatchEvent {
        @Override
        public boolean isUrgent() {
            return true;
        }
    }

    /** Marker in the queue: every event before it is published once {@code reached} is counted down. */
    record PublishBarrier(CountDownLatch reached) implements WatchEvent {
        @Override
        public boolean isUrgent() {
            return true;
        }
    }

    /**
     * Whether the allocator may allocate devices because of this event, so that it must not wait for a batch.
     *
     * <p>Most events of pods and claims follow from the writer's own writes and are not urgent. The end of a pod is
     * urgent: if it came after the deallocation of its claims, the deletion would look forced, or the claim still
     * needed.
     */
    boolean isUrgent();

    /** Whether a pod stops using its claims with this event. */
    default boolean isPodEnd() {
        return switch (this) {
            case Upserted(VersionedObject(Pod pod, long _, var _)) -> pod.finished();
            case Deleted(VersionedObject(Pod pod, long _, var _)) -> !pod.finished();
            case Upserted _, Deleted _, WatchEnded _, PublishBarrier _ -> false;
        };
    }

    /**
     * Bounded queue between the thread of a watch and the thread that publishes.
     *
     * <p>The watch blocks while the queue is full. One thread takes; {@link #size}, {@link #awaitPodEnds} and
     * {@link #close} are safe for use by any thread.
     */
    final class WatchEventQueue implements ClusterWatch.WatchListener {
        private static final int CAPACITY = 2000;
        /** Time that urgent events wait for others: a single record costs as much as ten in one batch. */
        private static final Duration BATCH_WINDOW = Duration.ofMillis(4);

        /** Time that a batch waits if none of its events is urgent. */
        private static final Duration RELAXED_BATCH_WINDOW = Duration.ofMillis(100);

        /** Maximum time that an event of another kind waits for this queue. */
        private static final Duration BARRIER_TIMEOUT = Duration.ofSeconds(1);

        private final LinkedBlockingQueue<WatchEvent> queue = new LinkedBlockingQueue<>(CAPACITY);
        private final AtomicInteger podEnds = new AtomicInteger();
        private volatile boolean isClosed;
        private volatile int inFlight;
        private int podEndsInFlight;

        @Override
        public void onUpsert(VersionedObject object) {
            put(new Upserted(object));
        }

        @Override
        public void onDelete(VersionedObject object) {
            put(new Deleted(object));
        }

        @Override
        public void onEnd(String reason) {
            put(new WatchEnded(reason));
        }

        /**
         * Waits until the ends of pods that are queued now are published.
         *
         * <p>Returns early if the queue is closed, and after {@link #BARRIER_TIMEOUT}.
         */
        void awaitPodEnds() throws InterruptedException {
            if (podEnds.get() == 0) {
                return;
            }
            var mark = new PublishBarrier(new CountDownLatch(1));
            long end = System.nanoTime() + BARRIER_TIMEOUT.toNanos();
            boolean isOver = !queue.offer(mark, BARRIER_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
            while (!isOver && !isClosed && System.nanoTime() < end) {
                isOver = mark.reached().await(10, TimeUnit.MILLISECONDS);
            }
        }

        private void put(WatchEvent event) {
            if (event.isPodEnd()) {
                podEnds.incrementAndGet();
            }
            try {
                boolean isTaken = false;
                while (!isClosed && !isTaken) {
                    isTaken = queue.offer(event, 100, TimeUnit.MILLISECONDS);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        /**
         * Takes a batch: the queued events and those that arrive shortly after.
         *
         * <p>The events of the previous batch count as published from now on. A batch ends at a {@link PublishBarrier}.
         *
         * @param within how long to wait for the first event; the batch is empty if none arrives
         */
        List<WatchEvent> take(Duration within) throws InterruptedException {
            List<WatchEvent> taken = new ArrayList<>();
            inFlight = 0;
            podEnds.addAndGet(-podEndsInFlight);
            podEndsInFlight = 0;
            WatchEvent next = queue.poll(within.toMillis(), TimeUnit.MILLISECONDS);
            long end = System.nanoTime() + RELAXED_BATCH_WINDOW.toNanos();
            boolean isUrgent = false;
            while (next != null) {
                taken.add(next);
                inFlight = taken.size();
                if (next instanceof PublishBarrier) {
                    break;
                }
                podEndsInFlight += next.isPodEnd() ? 1 : 0;
                if (next.isUrgent() && !isUrgent) {
                    isUrgent = true;
                    end = Math.min(end, System.nanoTime() + BATCH_WINDOW.toNanos());
                }
                next = taken.size() < CAPACITY ? queue.poll(end - System.nanoTime(), TimeUnit.NANOSECONDS) : null;
            }
            return withoutSuperseded(taken);
        }

        /** Drops updates of a pod that a later update in the batch supersedes, as compaction of the topic would. */
        private static List<WatchEvent> withoutSuperseded(List<WatchEvent> events) {
            Set<String> later = new HashSet<>();
            List<WatchEvent> kept = new ArrayList<>();
            for (WatchEvent each : events.reversed()) {
                if (!(each instanceof Upserted(VersionedObject(Pod pod, long _, var _)))
                        || later.add(pod.meta().uid())) {
                    kept.add(each);
                }
            }
            return kept.reversed();
        }

        /** The number of events that are queued, or taken and not published. */
        int size() {
            return queue.size() + inFlight;
        }

        /** Ends a wait for the first event of a batch. */
        void wakeUp() {
            boolean unused = queue.offer(new PublishBarrier(new CountDownLatch(1))); // a full queue has a first event
        }

        /** Closes the queue: nothing takes from it any more, and the watch no longer blocks. */
        void close() {
            isClosed = true;
        }
    }
}
