package dev.claimstream.allocator.streams;

import java.time.Duration;
import java.time.InstantSource;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.apache.kafka.streams.processor.api.ProcessorContext;

/**
 * Requests a commit soon after an output for which another component waits.
 *
 * <p>An output for a fresh input is committed within 5 ms. In a backlog the commit follows some time after the first output: a transaction
 * costs the brokers about the same, whatever it contains. Most inputs have no such output, and their rows wait for the commit interval.
 *
 * <p>The cells and the router of one thread share its transaction. If commits are slow, as with busy brokers, an input that arrived during
 * the last commit counts as fresh, and a backlog waits for twice the duration of a commit. A timer runs only while an output waits for its
 * commit.
 *
 * <p>Many threads may share an instance. An {@link Attendance} belongs to the thread of its task.
 */
final class PromptCommits {
    /** Commit interval of a transaction without an urgent output. */
    static final Duration INTERVAL = Duration.ofMillis(100);

    private final ThreadLocal<Transaction> transactions = ThreadLocal.withInitial(Transaction::new);
    private final InstantSource clock;

    PromptCommits(InstantSource clock) {
        this.clock = clock;
    }

    /** Registers a cell or router that was just taken over. */
    Attendance attend(ProcessorContext<?, ?> context) {
        return new Attendance(context);
    }

    /** Records that the calling thread has ended its transaction. */
    void ended() {
        transactions.get().ended(clock.millis());
    }

    /** The urgent outputs of one cell or router, from takeover to close. */
    final class Attendance implements AutoCloseable {
        private final ProcessorContext<?, ?> context;
        private final TaskTimer timer;

        private Attendance(ProcessorContext<?, ?> context) {
            this.context = context;
            timer = new TaskTimer(context, clock, _ -> look());
        }

        /** Records an urgent output of the task; the argument is the timestamp of its input in milliseconds. */
        void said(long input) {
            Transaction transaction = transactions.get();
            transaction.said(input);
            if (transaction.isTimeToLook(clock.millis())) {
                look();
            } else {
                lookLater(transaction);
            }
        }

        /** Requests a commit if it is due. Another task of the thread may have requested it already. */
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

    /** The urgent outputs of a thread that are not committed yet. All times are in milliseconds. */
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

        /** Adds an output; the argument is the timestamp of its input. */
        void said(long input) {
            newest = Math.max(newest, input);
            isSaid = true;
        }

        /** Whether there is an output since the last commit request. */
        boolean isSaid() {
            return isSaid;
        }

        /** Whether the next check is due. A clock that was set back does not delay it. */
        boolean isTimeToLook(long now) {
            return now < lookedAt || now >= nextLook();
        }

        /** The time of the next check. */
        long nextLook() {
            return lookedAt + LOOK_EVERY;
        }

        /** Whether a commit is due, because the newest input is fresh or the oldest output has waited long enough. */
        boolean isDue(long now) {
            lookedAt = now;
            if (!isSaid) {
                return false;
            }
            saidSince = Math.min(saidSince, now);
            return now - newest < JUST_COME + commitTakes
                    || now - saidSince >= Math.max(AT_LATEST, WORK_PER_COMMIT * commitTakes);
        }

        /** Records a commit request. Later outputs belong to the next commit, unless they are still in this transaction. */
        void asked(long now) {
            askedAt = now;
            clear();
        }

        /** Records the end of the transaction, by request or by the commit interval: nothing is left to commit. */
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
