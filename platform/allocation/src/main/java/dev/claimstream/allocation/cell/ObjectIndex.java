package dev.claimstream.allocation.cell;

import dev.claimstream.allocation.solver.AllocationPlan;
import dev.claimstream.allocation.solver.Reason;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.Node;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.Pod;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.dra.ResourceSlice;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * The router's index of claims, pods, nodes, slices and sources.
 *
 * <p>It accepts objects as a cell does ({@link ObservedState}) and ignores devices. Not thread-safe.
 */
public final class ObjectIndex {
    private final ObservedState state = new ObservedState();

    public void apply(Fact fact) {
        state.store(fact);
    }

    /**
     * The effects of an observation.
     *
     * @param touched items whose pod or claim changed
     * @param retryTriggers kinds of change that trigger a retry of pending items
     * @param deletedClaims deleted claims by UID
     * @param ignored why the observation was ignored; absent for a mere repetition
     */
    public record ObjectIndexChange(
            List<Fact> facts,
            SortedSet<ItemId> touched,
            Set<Reason.RetryTrigger> retryTriggers,
            SortedMap<String, ObjectKey> deletedClaims,
            Optional<IgnoredObservation.IgnoredReason> ignored) {
        /** No effect. */
        public static final ObjectIndexChange NONE = new ObjectIndexChange(
                List.of(), new TreeSet<>(), Collections.emptySet(), new TreeMap<>(), Optional.empty());

        public ObjectIndexChange {
            facts = List.copyOf(facts);
            deletedClaims = Collections.unmodifiableSortedMap(new TreeMap<>(deletedClaims));
        }
    }

    /**
     * Computes the effects of an observation without applying them.
     *
     * @throws IllegalArgumentException if the observation is not about objects, sources, settings or deallocations
     */
    public ObjectIndexChange observe(Observation observation) {
        var change = new StateChange();
        switch (observation) {
            case Observation.ObjectUpserted upsert -> new ObjectReducer(state, change, Instant.EPOCH).upsert(upsert);
            case Observation.ObjectDeleted deletion -> new ObjectReducer(state, change, Instant.EPOCH).delete(deletion);
            case Observation.KindSynced sync -> new SourceReducer(state, change, Instant.EPOCH).sync(sync);
            case Observation.KindStale stale -> new SourceReducer(state, change, Instant.EPOCH).markStale(stale);
            case Observation.SettingsChanged changed -> new SettingsReducer(state, change).apply(changed);
            case Observation.CommitOutcome outcome -> {
                var deallocations = new DeallocationReducer(state, change);
                deallocations.findRejected(outcome).ifPresent(row -> deallocations.reject(row, outcome));
            }
            case Observation.NodeLiveness _,
                    Observation.ItemAssigned _,
                    Observation.OfferDeclined _,
                    Observation.NodeHandover _,
                    Observation.DecisionRestored _,
                    Observation.Probe _,
                    Observation.Tick _,
                    Observation.WorkSliceDue _ ->
                throw new IllegalArgumentException("the router does not index %s".formatted(observation));
        }
        SortedMap<String, ObjectKey> ended = new TreeMap<>();
        for (Output output : change.outputs) {
            if (output instanceof Output.ClaimDeleted(String uid)) {
                state.claimWithUid(uid).ifPresent(claim -> ended.put(uid, claim));
            }
        }
        return new ObjectIndexChange(change.facts, change.touched, change.retryTriggers, ended, change.ignored);
    }

    /** Whether an item can be decided. */
    public sealed interface ItemReadiness {
        /** The known claims of the item. */
        List<ObjectKey> claims();

        /**
         * The item can be decided.
         *
         * @param uids UIDs of its claims
         * @param nodeName the required node
         */
        record Ready(List<ObjectKey> claims, List<String> uids, Optional<String> nodeName) implements ItemReadiness {
            public Ready {
                claims = List.copyOf(claims);
                uids = List.copyOf(uids);
            }
        }

        /** The item is pending for this reason. */
        record NotReady(List<ObjectKey> claims, AllocationPlan.PendingDiagnosis diagnosis) implements ItemReadiness {
            public NotReady {
                claims = List.copyOf(claims);
            }
        }
    }

    /** Checks an item whose pod or claim exists. The predicate tells whether a cell has allocated a claim. */
    public ItemReadiness readiness(ItemId item, Predicate<ResourceClaim> isAllocated) {
        return switch (WorkItemAssembly.of(
                state, item, claim -> claim.allocation().isPresent() || isAllocated.test(claim))) {
            case WorkItemAssembly.NotReady unready -> new ItemReadiness.NotReady(unready.claims(), unready.diagnosis());
            case WorkItemAssembly.Ready ready ->
                new ItemReadiness.Ready(
                        ready.claims(),
                        ready.claims().stream()
                                .flatMap(key -> state.claim(key).stream())
                                .map(claim -> claim.meta().uid())
                                .toList(),
                        ready.rules().nodeName());
        };
    }

    /** Returns whether a claim exists and has no allocation in its status. */
    public boolean isUnallocated(ObjectKey key) {
        return claim(key).filter(claim -> claim.allocation().isEmpty()).isPresent();
    }

    /** Returns whether an item is a pod that is bound to this node. */
    public boolean isBoundTo(ItemId item, String node) {
        return item.kind() == ItemId.ItemKind.POD
                && state.pod(item.key())
                        .flatMap(Pod::nodeName)
                        .filter(node::equals)
                        .isPresent();
    }

    /** The work item of a pod or claim, if it needs an allocation. */
    public Optional<WorkItems.WorkItemSpec> specOf(ItemId item, Predicate<ResourceClaim> isAllocatedHere) {
        return WorkItems.specOf(state, item, isAllocatedHere);
    }

    /**
     * Creates a counter of unallocated claims. The index must not change while it is in use.
     *
     * <p>The predicate tells whether a cell has allocated a claim.
     */
    public UnallocatedClaimCounter unallocated(Predicate<ResourceClaim> isAllocated) {
        return new UnallocatedClaimCounter(state, claim -> claim.allocation().isPresent() || isAllocated.test(claim));
    }

    /** The deallocation that the router has decided for a claim, or its rejection. */
    public Optional<ClaimRow.DeallocationRow> deallocation(String claimUid) {
        return state.deallocation(claimUid);
    }

    /** The row of a deallocation that is decided now. */
    public Row rowOf(Decision decision, Decision.DecisionResult.Deallocation result) {
        return DeallocationReducer.rowOf(state, decision, result);
    }

    /**
     * Whether the allocation of a claim may be cleared, as far as pods and claims say.
     *
     * <p>The cell that proposes it has checked classes and its own decisions.
     *
     * @param isPending whether a pod is an item that no cell has allocated
     */
    public boolean mayDeallocate(
            Decision decision, Decision.DecisionResult.Deallocation result, Predicate<ItemId> isPending) {
        var condition = new DeallocationCondition(state, pod -> isPending.test(ItemId.pod(pod.key())));
        return state.claim(decision.claim())
                .filter(claim -> claim.meta().uid().equals(decision.claimUid())
                        && state.version(decision.claim()) == result.claimVersion())
                .filter(claim -> state.pod(decision.item().key())
                        .filter(pod -> condition.isMet(claim, pod, result.consumer()))
                        .isPresent())
                .isPresent();
    }

    /** Whether every configured source has synced every kind and none is stale. */
    public boolean isSynced() {
        return state.isSynced();
    }

    /** The claim with this key, if it exists. */
    public Optional<ResourceClaim> claim(ObjectKey key) {
        return state.claim(key);
    }

    /**
     * The last upsert of an existing claim.
     *
     * @throws IllegalStateException if the claim does not exist
     */
    public Observation.ObjectUpserted upsertOf(ObjectKey claim) {
        return state.object(Kind.RESOURCE_CLAIM, claim)
                .flatMap(row -> row.content().map(content -> new Observation.ObjectUpserted(row.stamp(), content)))
                .orElseThrow(() -> new IllegalStateException("no claim %s exists".formatted(claim)));
    }

    /**
     * The stamp with the epoch and timing of the last list that contained the claim. A cell that gets the claim later
     * then has the same stamp.
     */
    public Stamp withListEpoch(Stamp stamp, ObjectKey claim) {
        return state.object(Kind.RESOURCE_CLAIM, claim)
                .map(row -> new Stamp(
                        stamp.source(),
                        row.stamp().epoch(),
                        stamp.version(),
                        row.stamp().timing(),
                        stamp.listVersion()))
                .orElse(stamp);
    }

    /** The items that a claim may belong to. */
    public List<ItemId> itemsOf(ObjectKey claim) {
        List<ItemId> items = new ArrayList<>();
        items.add(ItemId.claim(claim));
        state.podsOf(claim).forEach(pod -> items.add(ItemId.pod(pod)));
        return items;
    }

    /** The key of the existing claim with this UID. */
    public Optional<ObjectKey> claimWithUid(String uid) {
        return state.claimWithUid(uid);
    }

    /** All existing nodes in the order of their names. */
    public Stream<Node> nodes() {
        return state.rows(ObservedRow.ObjectRow.allOf(Kind.NODE)).stream()
                .flatMap(row -> row.content().stream())
                .map(Node.class::cast);
    }

    /** The node, if it exists. */
    public Optional<Node> node(String name) {
        return state.node(name);
    }

    /** The slice, if it exists. */
    public Optional<ResourceSlice> slice(String name) {
        return state.object(Kind.RESOURCE_SLICE, ObjectKey.cluster(name))
                .flatMap(ObservedRow.ObjectRow::content)
                .map(ResourceSlice.class::cast);
    }

    /** A copy of all rows by key. */
    public SortedMap<String, Row> rows() {
        return new TreeMap<>(state.rows());
    }
}
