package dev.claimstream.allocation.cell;

import dev.claimstream.allocation.solver.AllocationPlan;
import dev.claimstream.allocation.solver.Funnel;
import dev.claimstream.allocation.solver.Reason;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.ResourceClaim;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Supplier;

/**
 * Constructs the facts and outputs of items that stay pending.
 *
 * <p>A reason is reported when it changes, or when a report is due. {@link TextPolicy} says whether a text may change
 * alone.
 */
final class PendingFacts {
    private final State state;
    private final TextPolicy texts;
    private final SortedSet<ItemId> unreported;

    /** @param touched items whose pod or claim has changed: they are reported even if the reason is the same */
    PendingFacts(State state, SortedSet<ItemId> touched, TextPolicy texts) {
        this.state = state;
        this.texts = texts;
        this.unreported = new TreeSet<>(touched);
    }

    /** Whether a pod or claim of the item has changed and the item was not reported since. */
    boolean isTouched(ItemId item) {
        return unreported.contains(item);
    }

    /** Whether a result must be reported: the item has changed, or the router waits for a report. */
    boolean isReportDue(SchedulingRow.ItemRow row) {
        return unreported.contains(row.item()) || state.coordination().isReportDue(row);
    }

    /** Whether unfinished work of an item must be reported. The router needs one report, not one of each slice. */
    boolean isUnfinishedReportDue(SchedulingRow.ItemRow row) {
        return unreported.contains(row.item())
                || (state.coordination().isReportDue(row)
                        && !state.coordination().isReportedUnfinished(row));
    }

    /** The result of an item whose shape did not fit. */
    ItemResult of(PlacementAttempt attempt, ShapeFailure failure, long steps, Supplier<List<Funnel>> funnels) {
        SchedulingRow.ItemRow row = attempt.row();
        List<ObjectKey> claims = attempt.ready().unallocatedKeys();
        if (!failure.isReported(row.reason()) || isReportDue(row)) {
            return reported(row, claims, failure.text(claims, funnels), steps);
        }
        return texts == TextPolicy.REPLACE
                        && row.reason().equals(Optional.of(failure.plan().reason()))
                ? refreshed(row, claims, failure.text(claims, funnels), steps)
                : ItemResult.unchanged(steps);
    }

    /** The result of an item with this diagnosis, under the text policy of the pass. */
    ItemResult of(
            SchedulingRow.ItemRow row, List<ObjectKey> claims, AllocationPlan.PendingDiagnosis diagnosis, long steps) {
        return of(row, claims, diagnosis, texts, steps);
    }

    /** The result of an item with this diagnosis. */
    ItemResult of(
            SchedulingRow.ItemRow row,
            List<ObjectKey> claims,
            AllocationPlan.PendingDiagnosis diagnosis,
            TextPolicy which,
            long steps) {
        boolean isDue = diagnosis.reason() == Reason.EvaluationPending ? isUnfinishedReportDue(row) : isReportDue(row);
        if (!row.reason().equals(Optional.of(diagnosis.reason())) || isDue) {
            return reported(row, claims, PendingText.of(diagnosis), steps);
        }
        return which == TextPolicy.REPLACE
                ? refreshed(row, claims, PendingText.of(diagnosis), steps)
                : ItemResult.unchanged(steps);
    }

    /** The result of an item whose claims are deallocated first. */
    ItemResult reallocating(
            SchedulingRow.ItemRow row,
            WorkItemAssembly.Ready ready,
            DeallocationCandidates candidates,
            DeallocationCandidates.Reallocation found,
            long steps) {
        List<Fact> facts = new ArrayList<>();
        List<Output> outputs = new ArrayList<>();
        long number = state.count().decisions();
        for (ResourceClaim claim : found.claims()) {
            number = state.coordination().nextDecision(number);
            Decision.DecisionResult.Deallocation result =
                    candidates.result(ready, claim, found.placed().node());
            var decision = new Decision(claim.key(), claim.meta().uid(), number, row.item(), result);
            facts.add(new Fact.Put(DeallocationReducer.rowOf(state, decision, result)));
            outputs.add(new Output.DecisionMade(decision));
        }
        ItemResult pending = reported(
                row.withoutThoroughSearch(),
                ready.unallocatedKeys(),
                PendingText.of(candidates.diagnosis(found)),
                steps,
                number);
        facts.addAll(pending.facts());
        outputs.addAll(pending.outputs());
        return new ItemResult(facts, outputs, steps);
    }

    /** Keeps the reason and the decision. Writes the text only if its hash differs. */
    private ItemResult refreshed(SchedulingRow.ItemRow row, List<ObjectKey> claims, PendingText text, long steps) {
        if (row.textHash() == text.hash()) {
            return ItemResult.unchanged(steps);
        }
        SchedulingRow.ItemRow now = pending(row, text);
        return state.coordination()
                .reportPending(now, text.detail(), steps)
                .orElseGet(() -> new ItemResult(
                        List.of(new Fact.Put(now)),
                        List.of(new Output.ItemExplained(new Explanation(row.item(), claims, steps, text.detail()))),
                        steps));
    }

    private ItemResult reported(SchedulingRow.ItemRow row, List<ObjectKey> claims, PendingText text, long steps) {
        return reported(row, claims, text, steps, state.count().decisions());
    }

    /** @param from number of the last decision */
    private ItemResult reported(
            SchedulingRow.ItemRow row, List<ObjectKey> claims, PendingText text, long steps, long from) {
        unreported.remove(row.item());
        SchedulingRow.ItemRow now = pending(row, text);
        return state.coordination()
                .reportPending(now, text.detail(), steps)
                .orElseGet(() -> decided(now, claims, text.detail(), steps, from));
    }

    private ItemResult decided(
            SchedulingRow.ItemRow now,
            List<ObjectKey> claims,
            Explanation.ExplanationDetail.Pending detail,
            long steps,
            long from) {
        Reason reason = detail.diagnosis().reason();
        List<Output> outputs = new ArrayList<>();
        long number = from;
        for (ObjectKey key : claims) {
            Optional<ResourceClaim> claim = state.claim(key);
            if (claim.isPresent() && needsPendingDecision(claim.get(), reason)) {
                number = state.coordination().nextDecision(number);
                outputs.add(new Output.DecisionMade(new Decision(
                        key,
                        claim.get().meta().uid(),
                        number,
                        now.item(),
                        new Decision.DecisionResult.Pending(
                                reason, detail.diagnosis().message()))));
            }
        }
        outputs.add(new Output.ItemExplained(new Explanation(now.item(), claims, steps, detail)));
        return new ItemResult(
                List.of(new Fact.Put(now), new Fact.Put(state.count().withDecisions(number))), outputs, steps);
    }

    /**
     * Whether a pending decision is written for a claim.
     *
     * <p>A claim that another allocator has allocated gets one with {@link Reason#Unmanaged}, so that the writer removes
     * the scheduling gate of the pod.
     */
    private boolean needsPendingDecision(ResourceClaim claim, Reason reason) {
        boolean isUnmanaged = reason == Reason.Unmanaged
                && ManagedClaims.isUnmanaged(state, claim)
                && state.decidedAllocation(claim.meta().uid()).isEmpty();
        return isUnmanaged || state.allocation(claim).isEmpty();
    }

    private SchedulingRow.ItemRow pending(SchedulingRow.ItemRow row, PendingText text) {
        SchedulingRow.ItemRow overtaken =
                isWithoutConsumer(row) ? row.withAllocationsBefore(state.count().allocations()) : row;
        return overtaken.pending(text.detail(), text.hash());
    }

    /**
     * Without a consumer an item cannot be allocated, so it cannot be overtaken. Counting starts when it gets a
     * consumer.
     */
    private static boolean isWithoutConsumer(SchedulingRow.ItemRow row) {
        return row.reason().equals(Optional.of(Reason.NoConsumer));
    }
}
