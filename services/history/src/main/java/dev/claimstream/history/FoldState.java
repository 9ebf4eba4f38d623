package dev.claimstream.history;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** The state of the fold: what is open, and what is known about objects. Not safe for several threads. */
final class FoldState {
    final StateTable<ClaimFact> claims = new StateTable<>();
    final StateTable<PodFact> pods = new StateTable<>();
    final StateTable<SliceFact> slices = new StateTable<>();
    final StateTable<ListFact> lists = new StateTable<>();
    final StateTable<PendingPeriod> pending = new StateTable<>();
    final StateTable<DevicePeriod> devices = new StateTable<>();
    final OpenIntervals intervals = new OpenIntervals();
    final CounterCheck counterCheck = new CounterCheck(intervals);
    private final StateTable<CounterFact> counters = new StateTable<>();
    private final Map<String, String> uidOfClaim = new HashMap<>();

    /** The known claim with this UID. */
    Optional<ClaimFact> claim(String uid) {
        return claims.get(uid);
    }

    /** Adds or replaces a claim; returns the UID of the last claim with this name before. */
    Optional<String> put(ClaimFact claim) {
        claims.put(claim.uid(), claim);
        return Optional.ofNullable(uidOfClaim.put(claim.namespace() + "/" + claim.name(), claim.uid()));
    }

    void removeClaim(String uid) {
        claims.remove(uid).ifPresent(claim -> uidOfClaim.remove(claim.namespace() + "/" + claim.name(), uid));
    }

    /** Replaces the counters of a slice. */
    void putCounters(CounterFact fact) {
        if (counters.get(fact.uid()).filter(fact::equals).isPresent()) {
            return;
        }
        removeCounters(fact.uid());
        if (!fact.counters().isEmpty()) {
            counters.put(fact.uid(), fact);
            counterCheck.put(fact);
        }
    }

    void removeCounters(String slice) {
        counters.remove(slice).ifPresent(counterCheck::remove);
    }

    void drain(FoldChanges changes) {
        claims.drain((key, row, isStored) -> changes.add(FoldChanges.RowKind.CLAIM, key, row, isStored));
        pods.drain((key, row, isStored) -> changes.add(FoldChanges.RowKind.POD, key, row, isStored));
        slices.drain((key, row, isStored) -> changes.add(FoldChanges.RowKind.SLICE, key, row, isStored));
        lists.drain((key, row, isStored) -> changes.add(FoldChanges.RowKind.LIST, key, row, isStored));
        intervals.drain((key, row, isStored) -> changes.add(FoldChanges.RowKind.INTERVAL, key, row, isStored));
        pending.drain((key, row, isStored) -> changes.add(FoldChanges.RowKind.PENDING, key, row, isStored));
        devices.drain((key, row, isStored) -> changes.add(FoldChanges.RowKind.DEVICE, key, row, isStored));
        counters.drain((key, row, isStored) -> changes.add(FoldChanges.RowKind.COUNTER, key, row, isStored));
    }

    void restore(String key, Object row) {
        switch (row) {
            case ClaimFact claim -> {
                claims.restore(key, claim);
                uidOfClaim.put(claim.namespace() + "/" + claim.name(), claim.uid());
            }
            case PodFact pod -> pods.restore(key, pod);
            case SliceFact slice -> slices.restore(key, slice);
            case ListFact list -> lists.restore(key, list);
            case PendingPeriod period -> pending.restore(key, period);
            case DevicePeriod device -> devices.restore(key, device);
            case CounterFact counter -> {
                counters.restore(key, counter);
                counterCheck.put(counter);
            }
            case Interval interval -> intervals.restore(interval);
            default -> throw new IllegalArgumentException("no row of the state: " + row);
        }
    }
}
