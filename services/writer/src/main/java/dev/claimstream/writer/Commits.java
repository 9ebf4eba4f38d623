package dev.claimstream.writer;

import dev.claimstream.allocation.cell.Decision;
import java.time.Duration;

/**
 * Commits decisions to a cluster or another store.
 *
 * <p>Several threads call it. Decisions of one claim are committed one after the other, in their order.
 */
public interface Commits {
    /**
     * Commits a decision. Idempotent.
     *
     * <p>After a crash a decision can come again, even if a later decision of the same claim was committed meanwhile.
     *
     * @return the outcome; {@link Result#FAILED} and {@link Result#OVERLOADED} make the caller retry the decision
     */
    Outcome commit(Decision decision);

    /** Status of a commit; {@link Outcome#text} is its name in {@code outcomes.v1}. */
    enum Result {
        /** The store contains what was decided. */
        COMMITTED("committed"),
        /** Validation or a policy rejected the write; a retry would be rejected as well. */
        REFUSED("refused"),
        /** Another client has allocated the claim. */
        CONFLICT("conflict"),
        /** The claim is deleted, or its name belongs to another object now. */
        GONE("gone"),
        /** Not written: a later decision of the claim exists, or the claim has changed and is decided again. */
        SUPERSEDED("superseded"),
        /** Not written for a reason that may pass; retried with backoff. */
        FAILED("failed"),
        /** The cluster is overloaded, or the result of the write is unknown; retried, and concurrency decreases. */
        OVERLOADED("overloaded");

        private final String text;

        Result(String text) {
            this.text = text;
        }
    }

    /**
     * Outcome of a commit.
     *
     * @param message text of the cluster; empty if it sent none
     * @param pause minimum time before the retry, as requested by the cluster
     * @param claimVersion if rejected: highest resourceVersion of the claim that the rejection covers; 0 if unknown
     */
    record Outcome(Result result, String message, Duration pause, long claimVersion) {
        /** The store contains what was decided. */
        public static final Outcome COMMITTED = new Outcome(Result.COMMITTED, "");

        /** The cluster rejected the write without a reason. */
        public static final Outcome REFUSED = new Outcome(Result.REFUSED, "");

        /** Not written for a reason that may pass. */
        public static Outcome failed(String why) {
            return new Outcome(Result.FAILED, why);
        }

        /** Not written because the cluster is overloaded, or written with unknown result. */
        public static Outcome overloaded(String why, Duration pause) {
            return new Outcome(Result.OVERLOADED, why, pause, 0);
        }

        /** Rejected for the claim up to and including this resourceVersion. */
        public static Outcome refused(String why, long claimVersion) {
            return new Outcome(Result.REFUSED, why, Duration.ZERO, claimVersion);
        }

        public Outcome(Result result, String message) {
            this(result, message, Duration.ZERO, 0);
        }

        /** Whether the decision is to be retried. */
        public boolean isForLater() {
            return result == Result.FAILED || result == Result.OVERLOADED;
        }

        /** The name of the status in {@code outcomes.v1}. */
        public String text() {
            return result.text;
        }
    }
}
