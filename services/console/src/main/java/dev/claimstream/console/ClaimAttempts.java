package dev.claimstream.console;

import dev.claimstream.allocation.cell.Decision;
import dev.claimstream.allocation.solver.Reason;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The decisions on a claim, and their rejections, as far as the topics still have them.
 *
 * @param decisions number of decisions
 * @param allocations number of decisions after the last committed one that allocated devices
 * @param rejections number of these that were not committed, because of a rejection or a conflict
 * @param lastCommitted number of the last committed decision; 0 for none
 * @param lastRejected number of the last rejected decision; 0 for none
 * @param lastMessage why the last one was rejected; empty for none
 * @param reasons the last reasons why the claim was pending, the oldest first
 */
record ClaimAttempts(
        long decisions,
        long allocations,
        long rejections,
        long lastCommitted,
        long lastRejected,
        String lastMessage,
        List<TimedReason> reasons) {
    static final ClaimAttempts NONE = new ClaimAttempts(0, 0, 0, 0, 0, "", List.of());

    private static final int REASONS_MAX = 8;
    private static final String COMMITTED = "committed";
    private static final String REJECTED = "rejected";
    private static final String CONFLICT = "conflict";

    /** A reason, and the time from which on it held. */
    record TimedReason(Instant since, Reason reason) {}

    ClaimAttempts {
        reasons = List.copyOf(reasons);
    }

    /** After one more decision, at the time of its input. */
    ClaimAttempts with(Decision decision, Instant at) {
        boolean isAllocation =
                decision.number() > lastCommitted && decision.result() instanceof Decision.DecisionResult.Allocated;
        List<TimedReason> known = new ArrayList<>(reasons);
        if (decision.result() instanceof Decision.DecisionResult.Pending pending
                && lastReason()
                        .filter(last -> last.reason() == pending.reason())
                        .isEmpty()) {
            known.add(new TimedReason(at, pending.reason()));
        }
        return new ClaimAttempts(
                decisions + 1,
                allocations + (isAllocation ? 1 : 0),
                rejections,
                lastCommitted,
                lastRejected,
                lastMessage,
                known.subList(Math.max(0, known.size() - REASONS_MAX), known.size()));
    }

    /**
     * After an outcome. A commit sets the counts to 0, because successive pods may use a claim. A rejection or a conflict
     * counts if it is of another decision than the last one.
     */
    ClaimAttempts with(ClaimView.ReportedOutcome outcome) {
        if (outcome.text().equals(COMMITTED) && outcome.number() > Math.max(lastCommitted, lastRejected)) {
            return new ClaimAttempts(decisions, 0, 0, outcome.number(), lastRejected, "", reasons);
        }
        boolean isRejection = outcome.text().equals(REJECTED) || outcome.text().equals(CONFLICT);
        return isRejection && outcome.number() > lastRejected
                ? new ClaimAttempts(
                        decisions,
                        allocations,
                        rejections + 1,
                        lastCommitted,
                        outcome.number(),
                        outcome.message(),
                        reasons)
                : this;
    }

    /** Returns whether the new decision only adds a consumer and keeps the allocation. */
    static boolean isReservation(Decision before, Decision now) {
        return before.result() instanceof Decision.DecisionResult.Allocated previous
                && now.result() instanceof Decision.DecisionResult.Allocated has
                && previous.allocation().equals(has.allocation());
    }

    private Optional<TimedReason> lastReason() {
        return reasons.isEmpty() ? Optional.empty() : Optional.of(reasons.getLast());
    }

    /** The time from which on the claim was pending for its last reason. */
    Optional<Instant> since() {
        return lastReason().map(TimedReason::since);
    }
}
