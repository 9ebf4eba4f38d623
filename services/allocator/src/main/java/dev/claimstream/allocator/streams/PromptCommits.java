package dev.claimstream.allocator.streams;

import java.time.Duration;
import org.apache.kafka.streams.processor.PunctuationType;
import org.apache.kafka.streams.processor.api.ProcessorContext;

/**
 * Asks for a commit where somebody waits for it: soon after something was said about an input that has just come, and where there is a
 * backlog not before a while has passed. A transaction costs the brokers about the same, whatever it holds; most inputs say nothing
 * new to anybody, and their rows wait for the commit interval.
 *
 * <p>The cells and the router that one thread hosts share its transaction, and with it what is said here. Where commits are slow, as
 * brokers that are busy make them, an input that came during the last one has just come, and a backlog gets twice the time of a commit.
 */
final class PromptCommits {
    /** How long a transaction lasts in which nothing was said. */
    static final Duration INTERVAL = Duration.ofMillis(100);

    private static final Duration LOOK_EVERY = Duration.ofMillis(5);

    private final ThreadLocal<Transaction> transactions = ThreadLocal.withInitial(Transaction::new);

    /** Looks from now on, on behalf of one cell or router. */
    void attend(ProcessorContext<?, ?> context) {
        context.schedule(LOOK_EVERY, PunctuationType.WALL_CLOCK_TIME, new Attendance(context)::look);
    }

    /** Something was said about an input of this time, by this thread. */
    void said(long millis) {
        transactions.get().said(millis);
    }

    private final class Attendance {
        private static final long NEVER = Long.MAX_VALUE;

        private final ProcessorContext<?, ?> context;
        private long askedAt = NEVER;

        Attendance(ProcessorContext<?, ?> context) {
            this.context = context;
        }

        /** The first look after a commit was asked for comes when it is over. */
        void look(long now) {
            Transaction transaction = transactions.get();
            if (askedAt != NEVER) {
                transaction.took(now - askedAt);
                askedAt = NEVER;
            }
            if (transaction.isDue(now)) {
                transaction.ends();
                askedAt = now;
                context.commit();
            }
        }
    }

    /** What a thread has said and not committed yet. All times in milliseconds. */
    static final class Transaction {
        private static final long JUST_COME = 10;
        private static final long AT_LATEST = 20;
        private static final long WORK_PER_COMMIT = 2;

        private long newest = Long.MIN_VALUE;
        private boolean isSaid;
        private long saidSince = Long.MAX_VALUE;
        private long commitTakes;

        /** Something was said about an input of this time. */
        void said(long input) {
            newest = Math.max(newest, input);
            isSaid = true;
        }

        /** A commit took so long. */
        void took(long millis) {
            commitTakes = millis;
        }

        /** Whether it is time to commit. */
        boolean isDue(long now) {
            if (!isSaid) {
                return false;
            }
            saidSince = Math.min(saidSince, now);
            return now - newest < JUST_COME + commitTakes
                    || now - saidSince >= Math.max(AT_LATEST, WORK_PER_COMMIT * commitTakes);
        }

        /** It is committed; what is said from here on belongs to the next one. */
        void ends() {
            isSaid = false;
            saidSince = Long.MAX_VALUE;
        }
    }
}
