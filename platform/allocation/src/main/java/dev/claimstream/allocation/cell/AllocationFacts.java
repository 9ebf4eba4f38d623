package dev.claimstream.allocation.cell;

import dev.claimstream.allocation.solver.AllocationPlan;
import dev.claimstream.allocation.solver.UnallocatedClaim;
import dev.claimstream.dra.Allocation;
import dev.claimstream.dra.ClaimConsumer;
import dev.claimstream.dra.NodeSelector;
import dev.claimstream.dra.Pod;
import dev.claimstream.dra.ResourceClaim;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Constructs the facts and outputs of items that are allocated. */
final class AllocationFacts {
    private static final String SETTLED = "all its claims are already allocated";

    private final State state;
    private final Instant at;

    /** @param at time of the input, which becomes the time of the allocations */
    AllocationFacts(State state, Instant at) {
        this.state = state;
        this.at = at.truncatedTo(ChronoUnit.SECONDS);
    }

    /** The result of an item that fits: its claims are allocated and reserved, or the item is offered. */
    ItemResult of(SchedulingRow.ItemRow row, WorkItemAssembly.Ready ready, AllocationPlan.Allocated placed) {
        return state.coordination().offer(row, placed.steps()).orElseGet(() -> allocated(row, ready, placed));
    }

    private ItemResult allocated(
            SchedulingRow.ItemRow row, WorkItemAssembly.Ready ready, AllocationPlan.Allocated placed) {
        long number = state.count().decisions();
        List<ClaimRow.AllocationRow> rows = new ArrayList<>();
        for (int i = 0; i < ready.unallocated().size(); i++) {
            number = state.coordination().nextDecision(number);
            rows.add(newRow(row.item(), ready, placed, i, number));
        }
        for (ResourceClaim claim : reservable(ready)) {
            long following = state.coordination().nextDecision(number);
            Optional<ClaimRow.AllocationRow> reservation = reservation(row, ready, placed, claim, following);
            number = reservation.isPresent() ? following : number;
            reservation.ifPresent(rows::add);
        }
        List<Fact> facts = new ArrayList<>();
        rows.forEach(decided -> facts.add(new Fact.Put(decided)));
        facts.add(new Fact.Put(row.allocated(placed.choice().rationale())));
        int overtakes = ready.unallocated().isEmpty() ? 0 : 1; // one more consumer takes no devices
        facts.add(new Fact.Put(state.count().withDecisions(number).plusAllocations(overtakes)));
        List<Output> outputs = outputs(row, ready, placed, rows);
        state.coordination()
                .reportAllocated(
                        row.item(),
                        number,
                        rows.stream().map(ClaimRow.AllocationRow::claimUid).toList())
                .ifPresent(outputs::add);
        return new ItemResult(facts, outputs, placed.steps());
    }

    private ClaimRow.AllocationRow newRow(
            ItemId item, WorkItemAssembly.Ready ready, AllocationPlan.Allocated placed, int index, long number) {
        UnallocatedClaim claim = ready.unallocated().get(index);
        return ClaimRow.AllocationRow.builder(
                        claim.claim(),
                        claim.uid(),
                        item,
                        withTimestamp(placed.allocations().get(index)))
                .number(number)
                .node(placed.node())
                .reservedFor(ready.consumer(claim.claim()).map(List::of).orElse(List.of()))
                .claimVersion(state.version(claim.claim()))
                .commitState(
                        state.settings().observeOnly()
                                ? ClaimRow.AllocationRow.CommitState.OBSERVED
                                : ClaimRow.AllocationRow.CommitState.DECIDED)
                .build();
    }

    /** The allocated claims that this cell may reserve. In observe-only mode kube-scheduler reserves its claims. */
    private List<ResourceClaim> reservable(WorkItemAssembly.Ready ready) {
        return state.settings().observeOnly()
                ? ready.allocated().stream()
                        .filter(claim -> claim.allocation().isEmpty())
                        .toList()
                : ready.allocated();
    }

    private Allocation withTimestamp(Allocation allocation) {
        return new Allocation(allocation.results(), allocation.config(), allocation.nodeSelector(), Optional.of(at));
    }

    private List<Output> outputs(
            SchedulingRow.ItemRow row,
            WorkItemAssembly.Ready ready,
            AllocationPlan.Allocated placed,
            List<ClaimRow.AllocationRow> rows) {
        List<Output> outputs = new ArrayList<>();
        for (ClaimRow.AllocationRow decided : rows) {
            outputs.add(decision(decided, row.item()));
            if (decided.isObserved()) {
                outputs.add(new Output.ClaimCompared(Comparisons.decided(state, decided)));
            }
        }
        outputs.add(new Output.ItemExplained(new Explanation(
                row.item(),
                ready.claims(),
                placed.steps(),
                new Explanation.ExplanationDetail.Allocated(placed.node(), placed.choice()))));
        return outputs;
    }

    /** An observed allocation is published as pending, so that no writer can commit it. */
    private static Output decision(ClaimRow.AllocationRow decided, ItemId item) {
        Decision.DecisionResult result = decided.isObserved() ? Comparisons.pending(decided) : decided.result();
        return new Output.DecisionMade(
                new Decision(decided.claim(), decided.claimUid(), decided.number(), item, result));
    }

    /** The result of an item whose claims are all allocated and reserved. Repeats a decision for a gated pod. */
    ItemResult settled(SchedulingRow.ItemRow row, WorkItemAssembly.Ready ready) {
        return state.coordination().endReturned(row).orElseGet(() -> explainedAsSettled(row, ready));
    }

    private ItemResult explainedAsSettled(SchedulingRow.ItemRow row, WorkItemAssembly.Ready ready) {
        String node = ready.allocated().stream()
                .flatMap(claim -> nodeOf(claim).stream())
                .findFirst()
                .orElse("");
        var choice = new AllocationPlan.NodeChoice(state.settings().policy(), 0, SETTLED, Optional.empty(), "");
        var detail = new Explanation.ExplanationDetail.Allocated(node, choice);
        List<Output> outputs = new ArrayList<>();
        List<Fact> facts = new ArrayList<>();
        outputs.add(new Output.ItemExplained(new Explanation(row.item(), ready.claims(), 0, detail)));
        Optional<ClaimRow.AllocationRow> repeated = repeatedDecision(row, ready, node);
        repeated.ifPresent(decided -> {
            facts.add(new Fact.Put(decided));
            facts.add(new Fact.Put(state.count().withDecisions(decided.number())));
            outputs.add(decision(decided, row.item()));
        });
        facts.add(new Fact.Put(row.allocated(SETTLED)));
        List<String> decided = ready.allocated().stream()
                .map(claim -> claim.meta().uid())
                .filter(uid -> state.decidedAllocation(uid).isPresent())
                .toList();
        long number = repeated.map(ClaimRow.AllocationRow::number)
                .orElse(state.count().decisions());
        state.coordination().reportAllocated(row.item(), number, decided).ifPresent(outputs::add);
        return new ItemResult(facts, outputs, 0);
    }

    /**
     * A decision to repeat for a gated pod that needs no new allocation.
     *
     * <p>The writer removes a scheduling gate only with a decision. Such a pod shares the claims of its group, or its
     * claims were reserved for it by a component that is gone.
     */
    private Optional<ClaimRow.AllocationRow> repeatedDecision(
            SchedulingRow.ItemRow row, WorkItemAssembly.Ready ready, String node) {
        boolean isGated = !state.settings().observeOnly()
                && row.item().kind() == ItemId.ItemKind.POD
                && state.pod(row.item().key()).filter(Pod::isGated).isPresent();
        return ready.allocated().stream()
                .filter(claim -> isGated && !state.isRevoked(claim))
                .findFirst()
                .map(claim -> currentRow(
                        row,
                        claim,
                        node,
                        ClaimReservations.of(state, claim),
                        state.coordination().nextDecision(state.count().decisions())));
    }

    private Optional<String> nodeOf(ResourceClaim claim) {
        return state.decidedAllocation(claim.meta().uid())
                .map(ClaimRow.AllocationRow::node)
                .or(() -> claim.allocation().flatMap(Allocation::nodeSelector).flatMap(NodeSelector::onlyNode));
    }

    /** Adds the pod as a consumer of a claim that is already allocated. */
    private Optional<ClaimRow.AllocationRow> reservation(
            SchedulingRow.ItemRow row,
            WorkItemAssembly.Ready ready,
            AllocationPlan.Allocated placed,
            ResourceClaim claim,
            long number) {
        if (ready.isReserved(state, claim)) {
            return Optional.empty();
        }
        List<ClaimConsumer> more = new ArrayList<>(ClaimReservations.of(state, claim));
        ready.consumer(claim.key()).ifPresent(more::add);
        return Optional.of(currentRow(row, claim, placed.node(), more, number));
    }

    /** The current allocation of a claim for these consumers, whether this cell or another allocator decided it. */
    private ClaimRow.AllocationRow currentRow(
            SchedulingRow.ItemRow row, ResourceClaim claim, String node, List<ClaimConsumer> consumers, long number) {
        Allocation allocation = state.allocation(claim).orElseThrow();
        return state.decidedAllocation(claim.meta().uid())
                .map(before -> before.with(allocation).withDecision(number, consumers, before.claimVersion()))
                .orElseGet(() -> ClaimRow.AllocationRow.builder(
                                claim.key(), claim.meta().uid(), row.item(), allocation)
                        .number(number)
                        .node(node)
                        .reservedFor(consumers)
                        .claimVersion(state.version(claim.key()))
                        .commitState(ClaimRow.AllocationRow.CommitState.COMMITTED)
                        .build());
    }
}
