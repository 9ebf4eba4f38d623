package dev.claimstream.history;

import dev.claimstream.history.HistoryObservation.ClaimDeletion;
import dev.claimstream.history.HistoryObservation.ClaimState;
import dev.claimstream.history.HistoryObservation.CommitReport;
import dev.claimstream.history.HistoryObservation.ListEnd;
import dev.claimstream.history.HistoryObservation.OtherInput;
import dev.claimstream.history.HistoryObservation.PodDeletion;
import dev.claimstream.history.HistoryObservation.PodState;
import dev.claimstream.history.HistoryObservation.RestoredAllocation;
import dev.claimstream.history.HistoryObservation.SliceDeletion;
import dev.claimstream.history.HistoryObservation.SliceState;
import dev.claimstream.history.LedgerFact.AllocationFact;
import dev.claimstream.history.LedgerFact.DeallocationFact;
import dev.claimstream.history.LedgerFact.PendingFact;
import dev.claimstream.history.LedgerFact.ReleaseFact;
import dev.claimstream.history.LedgerFact.RevocationFact;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Folds inputs and ledger events into intervals. The same inputs give the same intervals, also if the state was stored and restored
 * between two of them.
 *
 * <p>An interval begins with an allocation in the ledger, or with an allocation in a claim's status that no open interval has. It ends
 * with the release in the ledger. It also ends when the claim is deleted, or when its status has shown the allocation and shows it no
 * more. Not safe for several threads.
 */
public final class HistoryFold {
    private static final String CLAIM_DELETED = "claim-deleted";
    private static final String CLAIM_REPLACED = "claim-replaced";
    private static final String CLEARED = "cleared";
    private static final String OTHERWISE = "allocated-otherwise";
    private static final String SUPERSEDED = "superseded";
    private static final String RELEASED = "released";
    private static final String REJECTED = "rejected";

    private final int cells;
    private final FoldState state = new FoldState();
    private final InventoryFold inventory;
    private FoldChanges changes = new FoldChanges();

    /** Causes for which intervals may end with the present input, by claim UID. */
    private final Map<String, String> causes = new LinkedHashMap<>();

    private final List<Interval> opened = new ArrayList<>();

    /** @param cells number of cells, each of which gets every list end */
    public HistoryFold(int cells) {
        this.cells = cells;
        inventory = new InventoryFold(state);
    }

    /** The type of the rows of a table of the state. */
    public static Class<?> rowType(FoldChanges.RowKind kind) {
        return switch (kind) {
            case CLAIM -> ClaimFact.class;
            case POD -> PodFact.class;
            case SLICE -> SliceFact.class;
            case LIST -> ListFact.class;
            case INTERVAL -> Interval.class;
            case PENDING -> PendingPeriod.class;
            case DEVICE -> DevicePeriod.class;
            case COUNTER -> CounterFact.class;
        };
    }

    /** Puts a stored row of the state back. */
    public void restore(String key, Object row) {
        state.restore(key, row);
    }

    /** The changes since the last call. */
    public FoldChanges drain() {
        FoldChanges drained = changes;
        state.drain(drained);
        changes = new FoldChanges();
        return drained;
    }

    /** Number of open intervals. */
    public int openIntervals() {
        return state.intervals.size();
    }

    /** Applies an input with its ledger events. */
    public void apply(HistoryInput input) {
        long at = input.atMicros();
        causes.clear();
        opened.clear();
        Optional<ClaimState> accepted = observe(input.cell(), at, input.observation());
        for (LedgerFact fact : input.facts()) {
            apply(input.cell(), at, fact);
        }
        causes.forEach((uid, cause) -> endOpen(uid, cause, at));
        accepted.ifPresent(claim -> showStatus(claim, input.cell(), at));
        for (Interval each : opened) {
            state.intervals
                    .present(each)
                    .ifPresent(present -> inventory.overlaps(present, at).forEach(changes::add));
        }
    }

    // ---- observations
    // ----------------------------------------------------------------------------------------------------------

    /** Returns the state of the claim that was observed; empty for another observation, and for an old state. */
    private Optional<ClaimState> observe(int cell, long at, HistoryObservation observation) {
        switch (observation) {
            case ClaimState claim -> {
                return observe(claim);
            }
            case ClaimDeletion deletion -> causes.put(deletion.uid(), CLAIM_DELETED);
            case PodState pod -> observe(pod);
            case PodDeletion pod -> state.pods.remove(key(pod.namespace(), pod.name()));
            case SliceState slice -> inventory.observe(slice, at).forEach(changes::add);
            case SliceDeletion slice -> inventory.delete(slice.uid(), at).forEach(changes::add);
            case ListEnd list -> endList(cell, at, list);
            case CommitReport report -> report(report);
            case RestoredAllocation restored -> {
                if (state.intervals.ofClaim(restored.allocation().claimUid()).stream()
                        .noneMatch(
                                each -> each.decision() >= restored.allocation().number())) {
                    allocate(cell, at, restored.allocation());
                }
            }
            case OtherInput _ -> {}
        }
        return Optional.empty();
    }

    private static String key(String namespace, String name) {
        return namespace + "/" + name;
    }

    private void observe(PodState pod) {
        String key = key(pod.namespace(), pod.name());
        PodFact fact = PodFact.of(pod);
        boolean isOld = state.pods
                .get(key)
                .filter(known -> known.source().equals(fact.source()) && known.epoch() > fact.epoch())
                .isPresent();
        if (!isOld) {
            state.pods.put(key, fact);
        }
    }

    private Optional<ClaimState> observe(ClaimState claim) {
        ClaimFact known = state.claim(claim.uid())
                .orElseGet(() -> ClaimFact.unknown(claim.uid(), claim.namespace(), claim.name()));
        if (known.isNewerThan(claim)) {
            return Optional.empty();
        }
        state.put(known.observed(claim))
                .filter(uid -> !uid.equals(claim.uid()))
                .ifPresent(uid -> causes.put(uid, CLAIM_REPLACED));
        if (claim.allocation().isEmpty()) {
            causes.put(claim.uid(), CLEARED);
        } else if (!isHeld(claim.uid(), claim.allocation().get())) {
            causes.put(claim.uid(), OTHERWISE);
        }
        return Optional.of(claim);
    }

    private boolean isHeld(String uid, List<AllocatedDevice> devices) {
        List<Interval> open = state.intervals.ofClaim(uid);
        if (open.size() != devices.size()) {
            return false;
        }
        for (AllocatedDevice device : devices) { // at most 32, the limit of Kubernetes
            if (open.stream().noneMatch(each -> each.isOf(device))) {
                return false;
            }
        }
        return true;
    }

    private void report(CommitReport report) {
        switch (report.outcome()) {
            case "committed" ->
                state.intervals.ofClaim(report.claimUid()).stream()
                        .filter(each -> each.decision() == report.number())
                        .forEach(each -> state.intervals.put(each.committed(report.atMicros())));
            case REJECTED -> causes.put(report.claimUid(), REJECTED);
            default -> {} // another outcome or an update of the claim follows
        }
    }

    private void endList(int cell, long at, ListEnd end) {
        String key = end.source() + "/" + end.kind();
        ListFact known = state.lists.get(key).orElse(new ListFact(-1, List.of()));
        if (known.epoch() > end.epoch()) {
            return;
        }
        var seen = new LinkedHashSet<String>(known.epoch() == end.epoch() ? known.seen() : List.of());
        seen.add(cell + "/" + end.partition());
        state.lists.put(key, new ListFact(end.epoch(), List.copyOf(seen)));
        if (seen.size() < cells * end.partitions()) {
            return;
        }
        switch (end.kind()) {
            case CLAIM ->
                state.claims
                        .all()
                        .filter(claim -> claim.source().equals(end.source()) && claim.epoch() < end.epoch())
                        .map(ClaimFact::uid)
                        .sorted()
                        .forEach(uid -> causes.put(uid, CLAIM_DELETED));
            case POD -> state.pods.removeIf(pod -> pod.isMissingIn(end));
            case SLICE -> inventory.endList(end, at).forEach(changes::add);
        }
    }

    // ---- ledger events
    // ---------------------------------------------------------------------------------------------------------

    private void apply(int cell, long at, LedgerFact fact) {
        switch (fact) {
            case AllocationFact allocation -> allocate(cell, at, allocation);
            case PendingFact pending -> pend(at, pending);
            case RevocationFact revocation -> order(revocation.claimUid(), "revoked");
            case DeallocationFact deallocation -> order(deallocation.claimUid(), "deallocated");
            case ReleaseFact release -> release(at, release);
        }
    }

    private void order(String uid, String order) {
        state.intervals.ofClaim(uid).forEach(each -> state.intervals.put(each.ordered(order)));
    }

    private void release(long at, ReleaseFact release) {
        String uid = release.claimUid();
        state.claim(uid).ifPresent(claim -> state.put(claim.released(release.number())));
        state.intervals.ofClaim(uid).stream()
                .filter(each -> each.decision() <= release.number())
                .forEach(each -> end(each, cause(each, causes.getOrDefault(uid, RELEASED)), at));
    }

    private static String cause(Interval interval, String cause) {
        return interval.order().isEmpty() ? cause : interval.order();
    }

    private void allocate(int cell, long at, AllocationFact fact) {
        endPending(fact.claimUid(), at, "allocated");
        ClaimFact claim = state.claim(fact.claimUid())
                .orElseGet(() -> ClaimFact.unknown(fact.claimUid(), fact.namespace(), fact.claim()));
        if (claim.releasedNumber() >= fact.number()) {
            return; // another cell, whose ledger was read before, has released it
        }
        if (isHeld(fact.claimUid(), fact.devices())) {
            state.intervals
                    .ofClaim(fact.claimUid())
                    .forEach(each -> state.intervals.put(
                            each.decided(fact.number(), cell, fact.node(), union(each.pods(), fact.pods()))));
            return;
        }
        state.intervals.ofClaim(fact.claimUid()).forEach(each -> end(each, cause(each, SUPERSEDED), at));
        if (claim.epoch() < 0) {
            state.put(claim);
        }
        Map<String, String> labels = state.pods
                .get(key(fact.namespace(), fact.pod()))
                .map(PodFact::labels)
                .orElse(claim.labels());
        fact.devices()
                .forEach(device -> open(inventory
                        .interval(claim, device, at)
                        .node(fact.node())
                        .labels(labels)
                        .interval()
                        .decided(fact.number(), cell, fact.node(), fact.pods())));
    }

    private static List<String> union(List<String> before, List<String> more) {
        if (before.containsAll(more)) {
            return before;
        }
        var all = new LinkedHashSet<>(before);
        all.addAll(more);
        return List.copyOf(all);
    }

    private void open(Interval interval) {
        state.intervals.put(interval);
        opened.add(interval);
    }

    private void pend(long at, PendingFact fact) {
        Optional<PendingPeriod> before = state.pending.get(fact.claimUid());
        if (before.filter(each -> each.reason().equals(fact.reason())).isPresent()) {
            return;
        }
        endPending(fact.claimUid(), at, "other-reason");
        state.pending.put(
                fact.claimUid(),
                new PendingPeriod(
                        fact.claimUid(),
                        fact.namespace(),
                        fact.claim(),
                        fact.pod(),
                        state.claim(fact.claimUid()).map(ClaimFact::firstClass).orElse(""),
                        fact.reason(),
                        fact.message(),
                        at,
                        0,
                        ""));
    }

    private void endPending(String uid, long at, String reason) {
        state.pending.remove(uid).ifPresent(each -> changes.add(each.ended(at, reason)));
    }

    // ---- ends
    // ------------------------------------------------------------------------------------------------------------------

    private void end(Interval interval, String cause, long at) {
        state.intervals.remove(interval);
        changes.add(interval.released(at, cause));
    }

    /** Ends what no release has ended. */
    private void endOpen(String uid, String cause, long at) {
        switch (cause) {
            case CLAIM_DELETED, CLAIM_REPLACED -> {
                state.intervals.ofClaim(uid).forEach(each -> end(each, cause(each, cause), at));
                endPending(uid, at, cause);
                state.removeClaim(uid);
            }
            case CLEARED ->
                state.intervals.ofClaim(uid).stream()
                        .filter(Interval::inStatus)
                        .forEach(each -> end(each, cause(each, cause), at));
            // a rejection is not the end; other devices in the status are compared after the ledger events
            default -> {}
        }
    }

    /** Compares the status of a claim with its open intervals, after the ledger events. */
    private void showStatus(ClaimState claim, int cell, long at) {
        if (claim.allocation().isEmpty()) {
            return;
        }
        List<AllocatedDevice> devices = claim.allocation().get();
        if (isHeld(claim.uid(), devices)) {
            state.intervals.ofClaim(claim.uid()).stream()
                    .map(each -> each.shown(at).withPods(union(each.pods(), claim.pods())))
                    .forEach(state.intervals::put);
            return;
        }
        state.intervals.ofClaim(claim.uid()).forEach(each -> end(each, cause(each, OTHERWISE), at));
        endPending(claim.uid(), at, "allocated");
        ClaimFact known = state.claim(claim.uid()).orElseThrow();
        Map<String, String> labels = claim.pods().stream()
                .flatMap(pod -> state.pods.get(key(claim.namespace(), pod)).stream())
                .map(PodFact::labels)
                .findFirst()
                .orElse(claim.labels());
        devices.stream()
                .sorted(Comparator.comparing(AllocatedDevice::key))
                .forEach(device -> open(inventory
                        .interval(known, device, at)
                        .labels(labels)
                        .cell(cell)
                        .interval()
                        .withPods(claim.pods())
                        .shown(at)));
    }
}
