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

/** What a watch tells, handed from its thread to ours. */
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

    /** A place in the line: everything before it is published once {@code reached} is counted down. */
    record Mark(CountDownLatch reached) implements Told {
        @Override
        public boolean isUrgent() {
            return true;
        }
    }

    /**
     * Whether somebody may get devices by it at once. Most of what is told of pods and claims is what we have written ourselves, or what
     * becomes of a pod that has its devices. That a pod has finished or is gone must not come later than the release of its claims, which
     * would look like a pod that went by force, or like a claim that a pod still needs.
     */
    boolean isUrgent();

    /** Whether a pod stops using its claims by this change. */
    default boolean isPodEnd() {
        return switch (this) {
            case Changed(Versioned(Pod pod, long _, var _)) -> pod.finished();
            case Gone(Versioned(Pod pod, long _, var _)) -> !pod.finished();
            case Changed _, Gone _, Ended _, Mark _ -> false;
        };
    }

    /** Between the two threads; who tells waits where nobody takes. */
    final class Line implements ClusterWatch.Listener {
        private static final int WAITING_MAX = 2000;
        /** A record alone costs as much on its whole way as ten together, and changes come in small swarms. */
        private static final Duration GATHER = Duration.ofMillis(4);

        /** As long as that, where nothing is urgent. */
        private static final Duration GATHER_AT_EASE = Duration.ofMillis(100);

        /** How long a change of another kind waits for this line. */
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
         * Waits until the ends of pods that are in the line now are published. The wait is over without that if nothing takes from the
         * line any more, or after {@link #PUBLISHED_WAIT_MAX}.
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
         * What waits and comes within a moment after the first, or after the first urgent one; nothing, where nothing comes at all. What
         * was taken before is done with.
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

        /** Without the changes of pods that are followed by another of the same: who reads the topic later sees only the last as well. */
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

        /** How many wait, or are taken and not done with; any thread may ask. */
        int size() {
            return waiting.size() + inHand;
        }

        /** Nobody takes any more. */
        void leave() {
            left = true;
        }
    }
}
