package dev.claimstream.writer;

import dev.claimstream.allocation.cell.Decision;
import java.time.Duration;

/**
 * Commits decisions to a cluster or another store.
 *
 * <p>Several threads call it. Decisions of one claim are committed one after the other, in their order.
 */
public interface DecisionCommitter {
    /**
     * Commits a decision. Idempotent.
     *
     * <p>After a crash a decision can come again, even if a later decision of the same claim was committed meanwhile.
     *
     * @return the outcome; {@link CommitStatus#FAILED} and {@link CommitStatus#OVERLOADED} make the caller retry the decision
     */
    CommitResult commit(Decision decision);

    /** Returns a version that the store has had, from which a restore of the store can be seen; 0 if it has no versions. */
    default long knownVersion() {
        return 0;
    }

    /**
     * Returns whether outcomes may be published and offsets committed. If not, no decision can have been committed yet, and
     * another process may be the one that commits it.
     */
    default boolean canReport() {
        return true;
    }

    /** Status of a commit; {@link CommitResult#text} is its name in {@code outcomes.v1}. */
    enum CommitStatus {
        /** The store contains what was decided. */
        COMMITTED("committed"),
        /**
         * The cluster does not have what was decided and will not get it: the write was rejected by validation, or
         * stored with other fields and cleared; or the decision was revoked; or the deallocation must not happen.
         */
        REJECTED("rejected"),
        /** Another client has allocated the claim with other devices. A 409 leads to another read instead. */
        CONFLICT("conflict"),
        /** The claim is deleted, or its name belongs to another object now. */
        DELETED("deleted"),
        /** Not written: a later decision of the claim exists, or the claim has changed and is decided again. */
        SUPERSEDED("superseded"),
        /** Not written for a reason that may pass; retried with backoff. */
        FAILED("failed"),
        /** The cluster is overloaded, or the result of the write is unknown; retried, and concurrency decreases. */
        OVERLOADED("overloaded");

        private final String text;

        CommitStatus(String text) {
            this.text = text;
        }
    }

    /**
     * Outcome of a commit.
     *
     * @param message text of the cluster; empty if it sent none
     * @param pause minimum time before the retry
     * @param claimVersion if rejected: highest resourceVersion of the claim that the rejection covers; 0 if unknown
     * @param auditId id of the write in the audit log of the API server; empty if there is none
     */
    record CommitResult(CommitStatus status, String message, Duration pause, long claimVersion, String auditId) {
        /** The store contains what was decided. */
        public static final CommitResult COMMITTED = new CommitResult(CommitStatus.COMMITTED, "");

        /** The cluster rejected the write without a reason. */
        public static final CommitResult REJECTED = new CommitResult(CommitStatus.REJECTED, "");

        /** Not written for a reason that may pass. */
        public static CommitResult failed(String reason) {
            return new CommitResult(CommitStatus.FAILED, reason);
        }

        /** Not written for a reason that may pass; to be retried after this pause. */
        public static CommitResult failed(String reason, Duration pause) {
            return new CommitResult(CommitStatus.FAILED, reason, pause, 0, "");
        }

        /** Not written because the cluster is overloaded, or written with unknown result. */
        public static CommitResult overloaded(String reason, Duration pause) {
            return new CommitResult(CommitStatus.OVERLOADED, reason, pause, 0, "");
        }

        /** Rejected for the claim up to and including this resourceVersion. */
        public static CommitResult rejected(String reason, long claimVersion) {
            return new CommitResult(CommitStatus.REJECTED, reason, Duration.ZERO, claimVersion, "");
        }

        public CommitResult(CommitStatus status, String message) {
            this(status, message, Duration.ZERO, 0, "");
        }

        /** The same outcome of a write with this id in the audit log of the API server. */
        public CommitResult withAuditId(String id) {
            return new CommitResult(status, message, pause, claimVersion, id);
        }

        /** Whether the decision is to be retried. */
        public boolean isRetriable() {
            return status == CommitStatus.FAILED || status == CommitStatus.OVERLOADED;
        }

        /** The name of the status in {@code outcomes.v1}. */
        public String text() {
            return status.text;
        }
    }
}
