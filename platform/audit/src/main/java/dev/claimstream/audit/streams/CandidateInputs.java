package dev.claimstream.audit.streams;

import dev.claimstream.allocation.cell.CellSettings;
import dev.claimstream.allocation.cell.ClaimRow;
import dev.claimstream.allocation.cell.ClaimRow.AllocationRow.CommitState;
import dev.claimstream.allocation.cell.Decision;
import dev.claimstream.allocation.cell.Observation;
import dev.claimstream.allocation.cell.Observation.CommitOutcome.Result;
import dev.claimstream.allocation.cell.Stamp;
import dev.claimstream.allocation.cell.State;
import dev.claimstream.dra.ClaimConsumer;
import dev.claimstream.dra.ClusterObject;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.Pod;
import dev.claimstream.dra.ResourceClaim;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/**
 * Translates recorded observations to those that a candidate would have made.
 *
 * <p>The record has the consequences of its own decisions: outcomes, allocations in claims, pods on nodes. They are replaced by the
 * consequences of the candidate's decisions, which are committed at once. A pod without all its devices is gated, and no pod ends later than
 * recorded. Allocations by other components stay as recorded.
 */
final class CandidateInputs {
    /** Versions are multiplied, so that changes that the record does not have fit between two recorded versions. */
    private static final long VERSION_STEPS = 100;

    private static final long LAST_STEP = VERSION_STEPS - 1;

    private final Supplier<State> state;
    private final UnaryOperator<CellSettings> change;
    private final Map<String, TrackedObject<ResourceClaim>> claims = new HashMap<>();
    private final Map<ObjectKey, String> uids = new HashMap<>();
    private final Map<ObjectKey, TrackedObject<Pod>> pods = new HashMap<>();
    private final Map<ObjectKey, Set<ObjectKey>> podsByClaim = new HashMap<>();

    /** UIDs of the claims that the record allocates: their allocation is a consequence of a decision. */
    private final Set<String> decided = new HashSet<>();

    /** Whether an observation has followed the restored decisions of a rebuild. */
    private boolean hasObserved;

    /** An object as recorded, with its translated stamp and the number of changes that were added since. */
    private static final class TrackedObject<T extends ClusterObject> {
        private final T object;
        private final Stamp stamp;
        private final boolean wasAllocated;
        private long added;

        private TrackedObject(T object, Stamp stamp, boolean wasAllocated) {
            this.object = object;
            this.stamp = stamp;
            this.wasAllocated = wasAllocated;
        }

        private Stamp nextStamp() {
            added = Math.min(added + 1, LAST_STEP - 1);
            return new Stamp(
                    stamp.source(), stamp.epoch(), stamp.version() + added, stamp.timing(), stamp.listVersion());
        }
    }

    /**
     * @param state present state of the candidate
     * @param change makes the candidate's settings from the recorded ones
     */
    CandidateInputs(Supplier<State> state, UnaryOperator<CellSettings> change) {
        this.state = state;
        this.change = change;
    }

    /** Notes an allocation by the record. */
    void recordAllocation(String uid) {
        TrackedObject<ResourceClaim> observed = claims.get(uid);
        if (observed == null || observed.object.allocation().isEmpty()) {
            decided.add(uid);
        }
    }

    /** Translates a recorded observation. */
    List<Observation> of(Observation recorded) {
        if (!(recorded instanceof Observation.DecisionRestored)) {
            hasObserved = true;
        }
        return switch (recorded) {
            case Observation.ObjectUpserted upserted -> List.of(upsert(upserted));
            case Observation.ObjectDeleted deleted -> delete(deleted);
            case Observation.KindSynced synced ->
                List.of(new Observation.KindSynced(
                        after(synced.stamp()), synced.kind(), synced.partition(), synced.partitions()));
            case Observation.KindStale stale -> List.of(new Observation.KindStale(after(stale.stamp()), stale.kind()));
            case Observation.NodeLiveness liveness ->
                List.of(new Observation.NodeLiveness(scaled(liveness.stamp()), liveness.node(), liveness.silent()));
            case Observation.SettingsChanged(CellSettings settings) ->
                List.of(new Observation.SettingsChanged(change.apply(settings)));
            case Observation.DecisionRestored restored -> restore(restored);
            // consequences of recorded decisions, work of the recorded cell, and what concerns several cells
            case Observation.CommitOutcome _,
                    Observation.Tick _,
                    Observation.WorkSliceDue _,
                    Observation.Probe _,
                    Observation.ItemAssigned _,
                    Observation.OfferDeclined _,
                    Observation.NodeHandover _ -> List.of();
        };
    }

    /** Decisions that precede the inputs are the common beginning. The candidate knows its own at a later rebuild. */
    private List<Observation> restore(Observation.DecisionRestored restored) {
        if (hasObserved) {
            return List.of();
        }
        decided.add(restored.decision().claimUid());
        return List.of(restored);
    }

    private static Stamp scaled(Stamp stamp) {
        return at(stamp, stamp.version() * VERSION_STEPS);
    }

    /** The stamp after all changes that were added to the recorded version. */
    private static Stamp after(Stamp stamp) {
        return at(stamp, stamp.version() * VERSION_STEPS + LAST_STEP);
    }

    private static Stamp at(Stamp stamp, long version) {
        long list = stamp.listVersion() == 0 ? 0 : stamp.listVersion() * VERSION_STEPS + LAST_STEP;
        return new Stamp(stamp.source(), stamp.epoch(), version, stamp.timing(), list);
    }

    private Observation upsert(Observation.ObjectUpserted recorded) {
        Stamp stamp = scaled(recorded.stamp());
        return new Observation.ObjectUpserted(
                stamp,
                switch (recorded.object()) {
                    case ResourceClaim claim -> {
                        TrackedObject<ResourceClaim> before =
                                claims.get(claim.meta().uid());
                        boolean wasAllocated =
                                claim.allocation().isPresent() || (before != null && before.wasAllocated);
                        claims.put(claim.meta().uid(), new TrackedObject<>(claim, stamp, wasAllocated));
                        uids.put(claim.key(), claim.meta().uid());
                        yield translated(claim);
                    }
                    case Pod pod -> {
                        remember(pod, stamp);
                        yield translated(pod);
                    }
                    default -> recorded.object();
                });
    }

    private void remember(Pod pod, Stamp stamp) {
        TrackedObject<Pod> before = pods.put(pod.key(), new TrackedObject<>(pod, stamp, false));
        if (before != null) {
            before.object.claims().forEach(claim -> removeUser(claim, pod.key()));
        }
        pod.claims()
                .forEach(claim -> podsByClaim
                        .computeIfAbsent(claim, _ -> new LinkedHashSet<>())
                        .add(pod.key()));
    }

    private void removeUser(ObjectKey claim, ObjectKey pod) {
        Set<ObjectKey> users = podsByClaim.get(claim);
        if (users != null && users.remove(pod) && users.isEmpty()) {
            podsByClaim.remove(claim);
        }
    }

    private List<Observation> delete(Observation.ObjectDeleted deleted) {
        List<Observation> translated = new ArrayList<>();
        translated.add(
                new Observation.ObjectDeleted(after(deleted.stamp()), deleted.kind(), deleted.key(), deleted.uid()));
        if (deleted.kind() == Kind.POD) {
            TrackedObject<Pod> gone = pods.remove(deleted.key());
            if (gone != null) {
                gone.object.claims().forEach(claim -> removeUser(claim, deleted.key()));
                gone.object.claims().forEach(claim -> clearUnused(claim).ifPresent(translated::add));
            }
        } else if (deleted.kind() == Kind.RESOURCE_CLAIM) {
            claims.remove(deleted.uid());
            uids.remove(deleted.key(), deleted.uid());
            decided.remove(deleted.uid());
        }
        return translated;
    }

    /** Clears a claim that only the candidate has allocated, after its last pod. Kubernetes does so, but the record has nothing to clear. */
    private Optional<Observation> clearUnused(ObjectKey key) {
        return Optional.ofNullable(uids.get(key))
                .flatMap(uid -> Optional.ofNullable(claims.get(uid)))
                .filter(seen -> seen.object.allocation().isEmpty()
                        && allocation(seen.object.meta().uid()).isPresent()
                        && !hasUser(key))
                .map(seen -> new Observation.ObjectUpserted(seen.nextStamp(), seen.object));
    }

    private boolean hasUser(ObjectKey claim) {
        return podsByClaim.getOrDefault(claim, Set.of()).stream()
                .map(pods::get)
                .anyMatch(pod -> pod != null && !pod.object.finished());
    }

    private Optional<ClaimRow.AllocationRow> allocation(String uid) {
        return state.get().decidedAllocation(uid).filter(row -> row.commitState() != CommitState.REVOKED);
    }

    private ResourceClaim translated(ResourceClaim recorded) {
        Optional<ClaimRow.AllocationRow> own = allocation(recorded.meta().uid());
        if (own.isPresent() && !isCleared(recorded)) {
            return new ResourceClaim(
                    recorded.meta(),
                    recorded.spec(),
                    Optional.of(own.get().allocation()),
                    consumers(own.get(), recorded));
        }
        return decided.contains(recorded.meta().uid())
                ? new ResourceClaim(recorded.meta(), recorded.spec(), Optional.empty(), List.of())
                : recorded;
    }

    /** Whether the record frees the devices of a claim that no pod uses any more. A clear for another reason concerns recorded devices. */
    private boolean isCleared(ResourceClaim recorded) {
        TrackedObject<ResourceClaim> observed = claims.get(recorded.meta().uid());
        return recorded.allocation().isEmpty() && observed != null && observed.wasAllocated && !hasUser(recorded.key());
    }

    private List<ClaimConsumer> consumers(ClaimRow.AllocationRow own, ResourceClaim recorded) {
        Set<ClaimConsumer> consumers = new LinkedHashSet<>(own.reservedFor());
        consumers.addAll(recorded.reservedFor());
        Set<String> users = new HashSet<>();
        podsByClaim.getOrDefault(recorded.key(), Set.of()).forEach(key -> {
            TrackedObject<Pod> pod = pods.get(key);
            if (pod != null && !pod.object.finished()) {
                users.add(pod.object.meta().uid());
            }
        });
        consumers.removeIf(each -> each.isPod() && !users.contains(each.uid()));
        return List.copyOf(consumers);
    }

    private Pod translated(Pod recorded) {
        List<String> managed = recorded.claims().stream()
                .flatMap(key -> Optional.ofNullable(uids.get(key)).stream())
                .filter(uid -> decided.contains(uid) || allocation(uid).isPresent())
                .toList();
        if (managed.isEmpty()) {
            return recorded;
        }
        List<ClaimRow.AllocationRow> own =
                managed.stream().flatMap(uid -> allocation(uid).stream()).toList();
        return own.size() == managed.size()
                ? on(recorded, recorded.nodeName().map(_ -> own.getFirst().node()), recorded.schedulingGates())
                : on(recorded, Optional.empty(), List.of(Pod.ALLOCATION_GATE));
    }

    private static Pod on(Pod pod, Optional<String> node, List<String> gates) {
        return pod.toBuilder().nodeName(node).schedulingGates(gates).build();
    }

    /** The consequences of a decision by the candidate, as the writer and Kubernetes would report them. */
    List<Observation> consequences(Decision decision) {
        return switch (decision.result()) {
            case Decision.DecisionResult.Allocated _ -> {
                List<Observation> following = new ArrayList<>(List.of(outcome(decision, Result.COMMITTED)));
                following.addAll(updates(decision));
                yield following;
            }
            case Decision.DecisionResult.Revoked _ -> List.of(outcome(decision, Result.REJECTED));
            case Decision.DecisionResult.Deallocation _ ->
                Optional.ofNullable(claims.get(decision.claimUid())).stream()
                        .<Observation>map(observed -> new Observation.ObjectUpserted(
                                observed.nextStamp(),
                                new ResourceClaim(
                                        observed.object.meta(), observed.object.spec(), Optional.empty(), List.of())))
                        .toList();
            case Decision.DecisionResult.Pending _, Decision.DecisionResult.Released _ -> List.of();
        };
    }

    private static Observation outcome(Decision decision, Result result) {
        return new Observation.CommitOutcome(decision.claimUid(), decision.number(), result, "", 0);
    }

    /** The claim with its allocation, and its pods that the record shows without gate or on a node. */
    private List<Observation> updates(Decision decision) {
        List<Observation> updates = new ArrayList<>();
        TrackedObject<ResourceClaim> claim = claims.get(decision.claimUid());
        if (claim != null) {
            updates.add(new Observation.ObjectUpserted(claim.nextStamp(), translated(claim.object)));
        }
        podsByClaim.getOrDefault(decision.claim(), Set.of()).stream()
                .flatMap(key -> Optional.ofNullable(pods.get(key)).stream())
                .filter(pod -> pod.object.nodeName().isPresent() || !pod.object.isGated())
                .forEach(pod -> updates.add(new Observation.ObjectUpserted(pod.nextStamp(), translated(pod.object))));
        return updates;
    }
}
