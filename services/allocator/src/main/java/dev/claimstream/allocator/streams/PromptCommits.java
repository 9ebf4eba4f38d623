package dev.claimstream.allocator.streams;

import java.time.Duration;
import java.time.InstantSource;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.apache.kafka.streams.processor.api.ProcessorContext;

/**
 * Asks for a commit soon after an output that a reader waits for.
 *
 * <p>An output about an input that has just come is committed within 5 ms. In a backlog the commit comes some time after the
 * first output. A transaction costs the brokers about the same, whatever it holds; most inputs have no such output, and their rows wait for
 * the commit interval.
 *
 * <p>The cells and the router that one thread hosts share its transaction, and with it the outputs in it. Where commits are slow, as brokers
 * that are busy make them, an input that came during the last one has just come, and a backlog gets twice the time of a commit. A timer
 * runs only while an output waits for its commit.
 *
 * <p>Many threads may share an instance. An {@link Attendance} belongs to the thread of its task.
 */
final class PromptCommits {
    /** How long a transaction lasts that holds no output that a reader waits for. */
    static final Duration INTERVAL = Duration.ofMillis(100);

    private final ThreadLocal<Transaction> transactions = ThreadLocal.withInitial(Transaction::new);
    private final InstantSource clock;

    PromptCommits(InstantSource clock) {
        this.clock = clock;
    }

    /** Attends to a cell or router that was just taken up. */
    Attendance attend(ProcessorContext<?, ?> context) {
        return new Attendance(context);
    }

    /** The calling thread has ended its transaction. */
    void ended() {
        transactions.get().ended(clock.millis());
    }

    /** The outputs of one cell or router, from taking up to closing. */
    final class Attendance implements AutoCloseable {
        private final ProcessorContext<?, ?> context;
        private final TaskTimer timer;

        private Attendance(ProcessorContext<?, ?> context) {
            this.context = context;
            timer = new TaskTimer(context, clock, _ -> look());
        }

        /** The task has an output that a reader waits for, about an input of this time in milliseconds. */
        void said(long input) {
            Transaction transaction = transactions.get();
            transaction.said(input);
            if (transaction.isTimeToLook(clock.millis())) {
                look();
            } else {
                lookLater(transaction);
            }
        }

        /** Another task of the thread may have asked for the commit since this one had an output. */
        private void look() {
            Transaction transaction = transactions.get();
            long now = clock.millis();
            if (transaction.isDue(now)) {
                transaction.asked(now);
                context.commit();
            } else if (transaction.isSaid()) {
                lookLater(transaction);
            }
        }

        private void lookLater(Transaction transaction) {
            timer.setTo(transaction.nextLook());
            transaction.timers.add(timer);
        }

        @Override
        public void close() {
            timer.cancel();
            transactions.get().timers.remove(timer);
        }
    }

    /** What a thread has said and not committed yet. All times in milliseconds. */
    static final class Transaction {
        private static final long LOOK_EVERY = 5;
        private static final long JUST_COME = 10;
        private static final long AT_LATEST = 20;
        private static final long WORK_PER_COMMIT = 2;
        private static final long NEVER = Long.MAX_VALUE;

        private final Set<TaskTimer> timers = new LinkedHashSet<>();
        private long newest = Long.MIN_VALUE;
        private boolean isSaid;
        private long saidSince = NEVER;
        private long commitTakes;
        private long lookedAt;
        private long askedAt = NEVER;

        /** Something was said about an input of this time. */
        void said(long input) {
            newest = Math.max(newest, input);
            isSaid = true;
        }

        /** Whether something was said since the last commit was asked for. */
        boolean isSaid() {
            return isSaid;
        }

        /** Whether the last look was a while ago. A clock that was set back does not delay a look. */
        boolean isTimeToLook(long now) {
            return now < lookedAt || now >= nextLook();
        }

        /** When to look again. */
        long nextLook() {
            return lookedAt + LOOK_EVERY;
        }

        /** Looks whether it is time to commit. */
        boolean isDue(long now) {
            lookedAt = now;
            if (!isSaid) {
                return false;
            }
            saidSince = Math.min(saidSince, now);
            return now - newest < JUST_COME + commitTakes
                    || now - saidSince >= Math.max(AT_LATEST, WORK_PER_COMMIT * commitTakes);
        }

        /** A commit was asked for; what is said from here on belongs to the next one, unless that comes first. */
        void asked(long now) {
            askedAt = now;
            clear();
        }

        /** The transaction has ended, because a task asked for it or because of the commit interval: nothing is left to commit. */
        void ended(long now) {
            if (askedAt != NEVER) {
                commitTakes = Math.max(0, now - askedAt);
                askedAt = NEVER;
            }
            clear();
        }

        private void clear() {
            isSaid = false;
            saidSince = NEVER;
            List.copyOf(timers).forEach(TaskTimer::cancel);
            timers.clear();
        }
    }
}
