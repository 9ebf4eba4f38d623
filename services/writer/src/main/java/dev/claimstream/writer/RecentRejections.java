package dev.claimstream.writer;

import dev.claimstream.allocation.cell.Decision;
import dev.claimstream.allocation.cell.Decision.DecisionResult;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.kubernetes.VersionedObject;
import dev.claimstream.writer.DecisionCommitter.CommitResult;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Recent rejections by claim, kept until their outcome has surely reached the cell.
 *
 * <p>The API server rejected the decision, or stored it with changes so that the writer clears it. Two events need the
 * entry. The response to the clear may be lost; then the retry finds a pending claim. And the cell may decide again for
 * the new version of the claim before it receives the outcome; that decision would be written, and rejected or cleared
 * again. At most 10,000 claims. Safe for use by several threads.
 */
final class RecentRejections {
    private static final int CLAIMS_MAX = 10_000;

    private final Map<String, Rejection> rejections = new ConcurrentHashMap<>();

    /**
     * A rejected decision.
     *
     * @param claimVersion resourceVersion of the claim after the rejection; 0 until it is known
     */
    private record Rejection(long decision, String reason, long claimVersion) {}

    /** Adds a decision that was rejected, or that is about to be cleared. */
    void add(Decision decision, String reason) {
        if (rejections.size() >= CLAIMS_MAX) {
            rejections.clear(); // costs one more attempt per claim
        }
        rejections.put(decision.claimUid(), new Rejection(decision.number(), reason, 0));
    }

    /** Whether the result of clearing the decision is unknown, so that the claim must be read from the API server. */
    boolean isUnconfirmed(Decision decision) {
        return Optional.ofNullable(rejections.get(decision.claimUid()))
                .filter(rejection -> rejection.decision == decision.number() && rejection.claimVersion == 0)
                .isPresent();
    }

    /** Returns the version of the claim up to which a decision is rejected; 0 if there is none, or it is unknown. */
    long version(String claimUid) {
        return Optional.ofNullable(rejections.get(claimUid))
                .map(Rejection::claimVersion)
                .orElse(0L);
    }

    /** Forgets the rejection for a version that the claim has not reached: the cluster was restored from a backup. */
    void forgetAfter(String claimUid, long version) {
        rejections.computeIfPresent(claimUid, (_, rejection) -> rejection.claimVersion > version ? null : rejection);
    }

    /** Records that the decision is rejected for the claim up to this version. */
    void confirm(Decision decision, long claimVersion) {
        rejections.computeIfPresent(
                decision.claimUid(),
                (_, rejection) -> rejection.decision == decision.number()
                        ? new Rejection(
                                rejection.decision, rejection.reason, Math.max(rejection.claimVersion, claimVersion))
                        : rejection);
    }

    /**
     * Returns the outcome of a decision that needs no write; empty if the decision is to be attempted.
     *
     * <p>Applies to an allocation of a claim that is pending. It is rejected if it is the decision that was cleared, or
     * if it was made for a version that the rejection covers. After a change by another client, a new decision is
     * attempted.
     */
    Optional<CommitResult> knownOutcome(Decision decision, Optional<VersionedObject> read) {
        Optional<Rejection> rejection = Optional.ofNullable(rejections.get(decision.claimUid()));
        return rejection.isPresent() && decision.result() instanceof DecisionResult.Allocated allocated
                ? read.filter(each -> isFree(each, decision.claimUid()))
                        .flatMap(each -> knownOutcome(
                                rejection.get(), decision.number(), allocated.claimVersion(), each.version()))
                : Optional.empty();
    }

    private static Optional<CommitResult> knownOutcome(
            Rejection rejection, long decision, long claimVersion, long version) {
        if (rejection.decision == decision) {
            return Optional.of(CommitResult.rejected(rejection.reason, Math.max(rejection.claimVersion, version)));
        }
        return claimVersion > 0 && claimVersion <= rejection.claimVersion
                ? Optional.of(CommitResult.rejected(rejection.reason, rejection.claimVersion))
                : Optional.empty();
    }

    private static boolean isFree(VersionedObject claim, String uid) {
        return claim.object().meta().uid().equals(uid)
                && ((ResourceClaim) claim.object()).allocation().isEmpty();
    }
}
