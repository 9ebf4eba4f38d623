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
 * <p>Many threads may share an instance. An {@link TaskCommits} belongs to the thread of its task.
 */
final class CommitScheduler {
    /** Commit interval of a transaction without an urgent output. */
    static final Duration INTERVAL = Duration.ofMillis(100);

    private final ThreadLocal<ThreadTransaction> transactions = ThreadLocal.withInitial(ThreadTransaction::new);
    private final InstantSource clock;

    CommitScheduler(InstantSource clock) {
        this.clock = clock;
    }

    /** Registers a cell or router that was just taken over. */
    TaskCommits register(ProcessorContext<?, ?> context) {
        return new TaskCommits(context);
    }

    /** Records that the calling thread has ended its transaction. */
    void markTransactionEnded() {
        transactions.get().markEnded(clock.millis());
    }

    /** The urgent outputs of one cell or router, from takeover to close. */
    final class TaskCommits implements AutoCloseable {
        private final ProcessorContext<?, ?> context;
        private final TaskTimer timer;

        private TaskCommits(ProcessorContext<?, ?> context) {
            this.context = context;
            timer = new TaskTimer(context, clock, _ -> check());
        }

        /** Records an urgent output of the task; the argument is the timestamp of its input in milliseconds. */
        void addOutput(long input) {
            ThreadTransaction transaction = transactions.get();
            transaction.addOutput(input);
            if (transaction.isCheckDue(clock.millis())) {
                check();
            } else {
                scheduleCheck(transaction);
            }
        }

        /** Requests a commit if it is due. Another task of the thread may have requested it already. */
        private void check() {
            ThreadTransaction transaction = transactions.get();
            long now = clock.millis();
            if (transaction.isDue(now)) {
                transaction.markRequested(now);
                context.commit();
            } else if (transaction.hasOutput()) {
                scheduleCheck(transaction);
            }
        }

        private void scheduleCheck(ThreadTransaction transaction) {
            timer.setTo(transaction.nextCheck());
            transaction.timers.add(timer);
        }

        @Override
        public void close() {
            timer.cancel();
            transactions.get().timers.remove(timer);
        }
    }

    /** The urgent outputs of a thread that are not committed yet. All times are in milliseconds. */
    static final class ThreadTransaction {
        private static final long CHECK_EVERY = 5;
        private static final long FRESH_FOR = 10;
        private static final long DELAY_MAX = 20;
        private static final long DELAY_PER_COMMIT = 2;
        private static final long NEVER = Long.MAX_VALUE;

        private final Set<TaskTimer> timers = new LinkedHashSet<>();
        private long newest = Long.MIN_VALUE;
        private boolean hasOutput;
        private long outputSince = NEVER;
        private long commitTakes;
        private long checkedAt;
        private long requestedAt = NEVER;

        /** Adds an output; the argument is the timestamp of its input. */
        void addOutput(long input) {
            newest = Math.max(newest, input);
            hasOutput = true;
        }

        /** Whether there is an output since the last commit request. */
        boolean hasOutput() {
            return hasOutput;
        }

        /** Whether the next check is due. A clock that was set back does not delay it. */
        boolean isCheckDue(long now) {
            return now < checkedAt || now >= nextCheck();
        }

        /** The time of the next check. */
        long nextCheck() {
            return checkedAt + CHECK_EVERY;
        }

        /** Whether a commit is due, because the newest input is fresh or the oldest output has waited long enough. */
        boolean isDue(long now) {
            checkedAt = now;
            if (!hasOutput) {
                return false;
            }
            outputSince = Math.min(outputSince, now);
            return now - newest < FRESH_FOR + commitTakes
                    || now - outputSince >= Math.max(DELAY_MAX, DELAY_PER_COMMIT * commitTakes);
        }

        /** Records a commit request. Later outputs belong to the next commit, unless they are still in this transaction. */
        void markRequested(long now) {
            requestedAt = now;
            clear();
        }

        /** Records the end of the transaction, by request or by the commit interval: nothing is left to commit. */
        void markEnded(long now) {
            if (requestedAt != NEVER) {
                commitTakes = Math.max(0, now - requestedAt);
                requestedAt = NEVER;
            }
            clear();
        }

        private void clear() {
            hasOutput = false;
            outputSince = NEVER;
            List.copyOf(timers).forEach(TaskTimer::cancel);
            timers.clear();
        }
    }
}
