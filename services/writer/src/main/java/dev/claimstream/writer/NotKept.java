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
 * What the API server has not kept of what was decided, or has refused, for each claim, while it and word of it are on their way. The answer to
 * its clearing may be lost; and the claim, which has another version once it is cleared or the one before was made old, may be decided again
 * before anybody hears why: that would be written, and cleared or refused in its turn.
 */
final class NotKept {
    private static final int CLAIMS_MAX = 10_000;

    private final Map<String, Known> claims = new ConcurrentHashMap<>();

    /** @param claimVersion that the claim got by that; 0 as long as nobody knows */
    private record Known(long decision, String why, long claimVersion) {}

    /** What was decided is about to be cleared, or is refused. */
    void note(Decision decision, String why) {
        if (claims.size() >= CLAIMS_MAX) {
            claims.clear(); // each is tried once more then
        }
        claims.put(decision.claimUid(), new Known(decision.number(), why, 0));
    }

    /** Whether it is not known what became of the clearing of a decision: only the claim itself can say. */
    boolean isOpen(Decision decision) {
        return Optional.ofNullable(claims.get(decision.claimUid()))
                .filter(known -> known.decision == decision.number() && known.claimVersion == 0)
                .isPresent();
    }

    /** A decision is refused for the claim up to this version. */
    void end(Decision decision, long claimVersion) {
        claims.computeIfPresent(
                decision.claimUid(),
                (_, known) -> known.decision == decision.number()
                        ? new Known(known.decision, known.why, Math.max(known.claimVersion, claimVersion))
                        : known);
    }

    /**
     * What becomes of a decision on a claim that was found free: it is that which was being cleared, or was made for the claim as it was
     * cleared. One for the claim as somebody has changed it since is tried.
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
