package dev.claimstream.writer;

import dev.claimstream.allocation.cell.Decision;
import dev.claimstream.allocation.cell.Decision.Verdict;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.kubernetes.Versioned;
import dev.claimstream.writer.Commits.Outcome;
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
final class NotKept {
    private static final int CLAIMS_MAX = 10_000;

    private final Map<String, Known> claims = new ConcurrentHashMap<>();

    /**
     * A rejected decision.
     *
     * @param claimVersion resourceVersion of the claim after the rejection; 0 until it is known
     */
    private record Known(long decision, String why, long claimVersion) {}

    /** Adds a decision that was rejected, or that is about to be cleared. */
    void note(Decision decision, String why) {
        if (claims.size() >= CLAIMS_MAX) {
            claims.clear(); // costs one more attempt per claim
        }
        claims.put(decision.claimUid(), new Known(decision.number(), why, 0));
    }

    /** Whether the result of clearing the decision is unknown, so that the claim must be read from the API server. */
    boolean isOpen(Decision decision) {
        return Optional.ofNullable(claims.get(decision.claimUid()))
                .filter(known -> known.decision == decision.number() && known.claimVersion == 0)
                .isPresent();
    }

    /** Records that the decision is rejected for the claim up to this version. */
    void end(Decision decision, long claimVersion) {
        claims.computeIfPresent(
                decision.claimUid(),
                (_, known) -> known.decision == decision.number()
                        ? new Known(known.decision, known.why, Math.max(known.claimVersion, claimVersion))
                        : known);
    }

    /**
     * Returns the outcome of a decision that needs no write; empty if the decision is to be attempted.
     *
     * <p>Applies to an allocation of a claim that is pending. It is rejected if it is the decision that was cleared, or
     * if it was made for a version that the rejection covers. After a change by another client, a new decision is
     * attempted.
     */
    Optional<Outcome> recall(Decision decision, Optional<Versioned> read) {
        Optional<Known> known = Optional.ofNullable(claims.get(decision.claimUid()));
        return known.isPresent() && decision.verdict() instanceof Verdict.Granted granted
                ? read.filter(each -> isFree(each, decision.claimUid()))
                        .flatMap(each -> recall(known.get(), decision.number(), granted.claimVersion(), each.version()))
                : Optional.empty();
    }

    private static Optional<Outcome> recall(Known known, long decision, long claimVersion, long version) {
        if (known.decision == decision) {
            return Optional.of(Outcome.refused(known.why, Math.max(known.claimVersion, version)));
        }
        return claimVersion > 0 && claimVersion <= known.claimVersion
                ? Optional.of(Outcome.refused(known.why, known.claimVersion))
                : Optional.empty();
    }

    private static boolean isFree(Versioned claim, String uid) {
        return claim.object().meta().uid().equals(uid)
                && ((ResourceClaim) claim.object()).allocation().isEmpty();
    }
}
