package dev.claimstream.watcher;

import dev.claimstream.dra.ClusterObject;
import dev.claimstream.dra.Pod;
import dev.claimstream.dra.PodClaim;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.kubernetes.ClusterWatch;
import dev.claimstream.kubernetes.Versioned;
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
sealed interface Told {
    record Changed(Versioned object) implements Told {
        @Override
        public boolean isUrgent() {
            return switch (object.object()) {
                case ResourceClaim claim -> claim.allocation().isEmpty();
                case Pod pod -> pod.finished() || (pod.isGated() && hasItsClaims(pod));
                case ClusterObject _ -> true;
            };
        }

        private static boolean hasItsClaims(Pod pod) {
            return pod.resourceClaims().stream()
                    .noneMatch(each -> each.source() instanceof PodClaim.Source.FromTemplate);
        }
    }

    record Gone(Versioned object) implements Told {
        @Override
        public boolean isUrgent() {
            return switch (object.object()) {
                case ResourceClaim _ -> false;
                case Pod pod -> !pod.finished() && !pod.resourceClaims().isEmpty();
                case ClusterObject _ -> true;
            };
        }
    }

    record Ended(String why) implements Told {
        @Override
        public boolean isUrgent() {
            return true;
        }
    }

    /** Marker in the queue: every event before it is published once {@code reached} is counted down. */
    record Mark(CountDownLatch reached) implements Told {
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
            case Changed(Versioned(Pod pod, long _, var _)) -> pod.finished();
            case Gone(Versioned(Pod pod, long _, var _)) -> !pod.finished();
            case Changed _, Gone _, Ended _, Mark _ -> false;
        };
    }

    /**
     * Bounded queue between the thread of a watch and the thread that publishes.
     *
     * <p>The watch blocks while the queue is full. One thread takes; {@link #size}, {@link #awaitPodEnds} and
     * {@link #leave} are safe for use by any thread.
     */
    final class Line implements ClusterWatch.Listener {
        private static final int WAITING_MAX = 2000;
        /** Time that urgent events wait for others: a single record costs as much as ten in one batch. */
        private static final Duration GATHER = Duration.ofMillis(4);

        /** Time that a batch waits if none of its events is urgent. */
        private static final Duration GATHER_AT_EASE = Duration.ofMillis(100);

        /** Maximum time that an event of another kind waits for this queue. */
        private static final Duration PUBLISHED_WAIT_MAX = Duration.ofSeconds(1);

        private final LinkedBlockingQueue<Told> waiting = new LinkedBlockingQueue<>(WAITING_MAX);
        private final AtomicInteger podEnds = new AtomicInteger();
        private volatile boolean left;
        private volatile int inHand;
        private int podEndsInHand;

        @Override
        public void changed(Versioned object) {
            put(new Changed(object));
        }

        @Override
        public void gone(Versioned object) {
            put(new Gone(object));
        }

        @Override
        public void ended(String why) {
            put(new Ended(why));
        }

        /**
         * Waits until the ends of pods that are queued now are published.
         *
         * <p>Returns early if the queue is closed, and after {@link #PUBLISHED_WAIT_MAX}.
         */
        void awaitPodEnds() throws InterruptedException {
            if (podEnds.get() == 0) {
                return;
            }
            var mark = new Mark(new CountDownLatch(1));
            long end = System.nanoTime() + PUBLISHED_WAIT_MAX.toNanos();
            boolean isOver = !waiting.offer(mark, PUBLISHED_WAIT_MAX.toMillis(), TimeUnit.MILLISECONDS);
            while (!isOver && !left && System.nanoTime() < end) {
                isOver = mark.reached().await(10, TimeUnit.MILLISECONDS);
            }
        }

        private void put(Told told) {
            if (told.isPodEnd()) {
                podEnds.incrementAndGet();
            }
            try {
                boolean isTaken = false;
                while (!left && !isTaken) {
                    isTaken = waiting.offer(told, 100, TimeUnit.MILLISECONDS);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        /**
         * Takes a batch: the queued events and those that arrive shortly after; empty if none arrives within 500 ms.
         *
         * <p>The events of the previous batch count as published from now on. A batch ends at a {@link Mark}.
         */
        List<Told> take() throws InterruptedException {
            List<Told> taken = new ArrayList<>();
            inHand = 0;
            podEnds.addAndGet(-podEndsInHand);
            podEndsInHand = 0;
            Told next = waiting.poll(500, TimeUnit.MILLISECONDS);
            long end = System.nanoTime() + GATHER_AT_EASE.toNanos();
            boolean isUrgent = false;
            while (next != null) {
                taken.add(next);
                inHand = taken.size();
                if (next instanceof Mark) {
                    break;
                }
                podEndsInHand += next.isPodEnd() ? 1 : 0;
                if (next.isUrgent() && !isUrgent) {
                    isUrgent = true;
                    end = Math.min(end, System.nanoTime() + GATHER.toNanos());
                }
                next = taken.size() < WAITING_MAX ? waiting.poll(end - System.nanoTime(), TimeUnit.NANOSECONDS) : null;
            }
            return withoutOvertaken(taken);
        }

        /** Drops updates of a pod that a later update in the batch supersedes, as compaction of the topic would. */
        private static List<Told> withoutOvertaken(List<Told> told) {
            Set<String> later = new HashSet<>();
            List<Told> kept = new ArrayList<>();
            for (Told each : told.reversed()) {
                if (!(each instanceof Changed(Versioned(Pod pod, long _, var _)))
                        || later.add(pod.meta().uid())) {
                    kept.add(each);
                }
            }
            return kept.reversed();
        }

        /** The number of events that are queued, or taken and not published. */
        int size() {
            return waiting.size() + inHand;
        }

        /** Closes the queue: nothing takes from it any more, and the watch no longer blocks. */
        void leave() {
            left = true;
        }
    }
}
