package dev.claimstream.watcher;

import dev.claimstream.kubernetes.ClusterWatch;
import dev.claimstream.kubernetes.Versioned;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** What a watch tells, handed from its thread to ours. */
sealed interface Told {
    record Changed(Versioned object) implements Told {}

    record Gone(Versioned object) implements Told {}

    record Ended(String why) implements Told {}

    /** Between the two threads; who tells waits where nobody takes. */
    final class Line implements ClusterWatch.Listener {
        private static final int WAITING_MAX = 2000;
        /** A record alone costs the brokers as much as ten together, and changes come in small swarms. */
        private static final Duration GATHER = Duration.ofMillis(4);

        private final LinkedBlockingQueue<Told> waiting = new LinkedBlockingQueue<>(WAITING_MAX);
        private volatile boolean left;

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

        private void put(Told told) {
            try {
                boolean isTaken = false;
                while (!left && !isTaken) {
                    isTaken = waiting.offer(told, 100, TimeUnit.MILLISECONDS);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        /** What waits and comes within a moment after the first; nothing, where nothing comes at all. */
        List<Told> take() throws InterruptedException {
            List<Told> taken = new ArrayList<>();
            Told next = waiting.poll(500, TimeUnit.MILLISECONDS);
            long end = System.nanoTime() + GATHER.toNanos();
            while (next != null && taken.size() < WAITING_MAX) {
                taken.add(next);
                next = waiting.poll(end - System.nanoTime(), TimeUnit.NANOSECONDS);
            }
            return taken;
        }

        /** Nobody takes any more. */
        void leave() {
            left = true;
        }
    }
}
