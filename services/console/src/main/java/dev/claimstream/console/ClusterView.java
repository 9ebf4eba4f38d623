package dev.claimstream.console;

import dev.claimstream.allocation.cell.Comparison;
import dev.claimstream.allocation.cell.Decision;
import dev.claimstream.allocation.cell.Explanation;
import dev.claimstream.allocation.cell.ItemId;
import dev.claimstream.allocation.cell.Observation;
import dev.claimstream.allocation.cell.Output;
import dev.claimstream.allocation.cell.Stamp;
import dev.claimstream.dra.Allocation;
import dev.claimstream.dra.ClusterObject;
import dev.claimstream.dra.DeviceId;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.ObjectMeta;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.kubernetes.access.VisibleObjects;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * The state of the cluster, decisions and outcomes, as read from the topics.
 * One thread applies records. All methods are thread-safe, and {@link #read} reads a consistent snapshot.
 */
@Singleton
public final class ClusterView {
    private final ClusterObjects objects = new ClusterObjects();
    private final Map<String, ClaimView.TimedDecision> decisions = new HashMap<>();
    private final Map<String, ItemId> items = new HashMap<>();
    private final Map<String, ClaimView.ReportedOutcome> outcomes = new HashMap<>();
    private final Map<ItemId, Explanation> explanations = new HashMap<>();
    private final ExplanationTimes times = new ExplanationTimes();
    private final PodBindings bindings = new PodBindings();
    private final Map<DeviceId, TelemetrySample> samples = new HashMap<>();
    private final Map<String, ClaimAttempts> attempts = new HashMap<>();
    private final LastComparisons comparisons = new LastComparisons();
    private final ClaimChangeNotifier notifier = new ClaimChangeNotifier(this::findClaim);
    private final Set<String> namespaces = new TreeSet<>();
    private long changes;

    /**
     * Reads a consistent snapshot of what the sender of the current request sees, under the lock. On a thread without a request it is
     * everything. The result must not use the snapshot's streams.
     */
    <T> T read(Function<Snapshot, T> looking) {
        return read(RequestAccess.visible(), looking);
    }

    /** Reads a consistent snapshot of what a caller sees. */
    synchronized <T> T read(VisibleObjects visible, Function<Snapshot, T> looking) {
        return looking.apply(new Snapshot(visible));
    }

    /** Returns the namespaces of all objects that were ever read. */
    synchronized Set<String> namespaces() {
        return Set.copyOf(namespaces);
    }

    /** Returns the number of records that have been applied. It increases with every change of the state. */
    synchronized long changeCount() {
        return changes;
    }

    /**
     * Waits until a condition holds or the time is up. The condition is tested after each change of an explanation.
     *
     * @throws InterruptedException if the thread is interrupted
     */
    synchronized void await(Predicate<Snapshot> reached, Duration max) throws InterruptedException {
        long end = System.nanoTime() + max.toNanos();
        for (long remaining = max.toNanos();
                remaining > 0 && !read(reached::test);
                remaining = end - System.nanoTime()) {
            TimeUnit.NANOSECONDS.timedWait(this, remaining);
        }
    }

    /** An allocation that is not released: the claim is deleted, or the allocation is being revoked. */
    record UnreleasedAllocation(ObjectKey claim, Allocation allocation) {}

    /** The state at one moment. It is valid only within {@link #read} and {@link #await}. */
    final class Snapshot {
        private final VisibleObjects visible;

        private Snapshot(VisibleObjects visible) {
            this.visible = visible;
        }

        /** Returns what the caller sees. */
        VisibleObjects visible() {
            return visible;
        }

        /** Returns the same moment with the objects of all callers, for results that depend on all of them. */
        Snapshot everything() {
            return new Snapshot(VisibleObjects.EVERYTHING);
        }

        private boolean sees(Kind kind, ObjectKey key) {
            return switch (kind) {
                case RESOURCE_CLAIM, RESOURCE_CLAIM_TEMPLATE, POD, POD_GROUP -> sees(key);
                case NAMESPACE -> visible.sees(key.name());
                case NODE -> visible.hasNodes();
                case RESOURCE_SLICE, DEVICE_TAINT_RULE -> visible.hasDevices();
                case DEVICE_CLASS -> true;
            };
        }

        private boolean sees(ObjectKey namespaced) {
            return visible.sees(namespaced.namespace());
        }

        Stream<ClusterObject> all(Kind kind) {
            return visible.isUnlimited() ? objects.all(kind) : objects.all(kind).filter(each -> sees(kind, each.key()));
        }

        <T extends ClusterObject> Stream<T> all(Kind kind, Class<T> type) {
            return all(kind).map(type::cast);
        }

        Optional<ClusterObject> find(Kind kind, ObjectKey key) {
            return objects.find(kind, key).filter(_ -> sees(kind, key));
        }

        Stream<ClaimView> claims() {
            return all(Kind.RESOURCE_CLAIM, ResourceClaim.class).map(ClusterView.this::view);
        }

        Optional<ClaimView> claim(ObjectKey key) {
            return findClaim(key).filter(_ -> sees(key));
        }

        /** Returns allocations that still occupy devices although no claim shows them: decided and not yet released. */
        Stream<UnreleasedAllocation> unreleasedAllocations() {
            return decisions.values().stream()
                    .map(ClaimView.TimedDecision::decision)
                    .filter(decision -> sees(decision.claim()))
                    .flatMap(this::unreleasedAllocations);
        }

        private Stream<UnreleasedAllocation> unreleasedAllocations(Decision decision) {
            return switch (decision.result()) {
                case Decision.DecisionResult.Allocated allocated
                when isGone(decision) -> Stream.of(new UnreleasedAllocation(decision.claim(), allocated.allocation()));
                case Decision.DecisionResult.Revoked revoked ->
                    Stream.of(new UnreleasedAllocation(
                            decision.claim(), revoked.allocated().allocation()));
                case Decision.DecisionResult.Allocated _,
                        Decision.DecisionResult.Pending _,
                        Decision.DecisionResult.Deallocation _,
                        Decision.DecisionResult.Released _ -> Stream.empty();
            };
        }

        private boolean isGone(Decision decision) {
            return find(Kind.RESOURCE_CLAIM, decision.claim())
                    .filter(claim -> claim.meta().uid().equals(decision.claimUid()))
                    .isEmpty();
        }

        /** Returns the time for which an item's explanation is true. */
        Optional<ExplanationTime> explanationTime(ItemId item) {
            return times.of(item);
        }

        /** Returns the time of the last change that an explanation may depend on. */
        Instant lastChange() {
            return times.lastChange();
        }

        /** Returns the last explanation of an item. */
        Optional<Explanation> explanation(ItemId item) {
            return Optional.ofNullable(explanations.get(item)).filter(_ -> sees(item.key()));
        }

        /** Returns the last explanations of all items, in no order. */
        Stream<Explanation> explanations() {
            return explanations.values().stream()
                    .filter(each -> sees(each.item().key()));
        }

        /** Returns the decisions and rejections of a claim that were read. */
        ClaimAttempts attempts(String claimUid) {
            return attempts.getOrDefault(claimUid, ClaimAttempts.NONE);
        }

        /** Returns the last comparison of each claim in observe-only mode, the oldest change first. */
        List<Comparison> comparisons() {
            return comparisons.all().stream().filter(each -> sees(each.claim())).toList();
        }

        /** Returns the number of the last change that listeners have received. */
        long lastChangeNumber() {
            return notifier.lastNumber();
        }

        boolean isSilent(String node) {
            return objects.isSilent(node);
        }

        Optional<TelemetrySample> sample(DeviceId device) {
            return Optional.ofNullable(samples.get(device));
        }
    }

    private Optional<ClaimView> findClaim(ObjectKey key) {
        return objects.find(Kind.RESOURCE_CLAIM, key)
                .map(ResourceClaim.class::cast)
                .map(this::view);
    }

    private ClaimView view(ResourceClaim claim) {
        String uid = claim.meta().uid();
        Optional<ClaimView.TimedDecision> lastDecision = Optional.ofNullable(decisions.get(uid));
        Optional<Explanation> explanation = explanation(claim);
        return new ClaimView(
                claim,
                objects.source(claim),
                lastDecision,
                explanation,
                explanation.map(Explanation::item).flatMap(times::of),
                Optional.ofNullable(outcomes.get(uid))
                        .filter(outcome -> lastDecision.stream()
                                .anyMatch(each -> each.decision().number() == outcome.number())),
                bindings.of(claim.key().namespace(), ClaimView.reservedFor(claim, lastDecision)),
                UnmanagedClasses.of(claim, objects::find),
                UnevaluatedPodFields.of(explanation, objects::find));
    }

    /**
     * Returns the explanation of the claim as an item of its own, else of the item of the claim's decision.
     * A claim that was allocated before a pod used it has an explanation of its own.
     */
    private Optional<Explanation> explanation(ResourceClaim claim) {
        return Optional.ofNullable(explanations.get(ItemId.claim(claim.key())))
                .or(() -> Optional.ofNullable(items.get(claim.meta().uid())).map(explanations::get));
    }

    // ---- methods for the consumer

    /** Applies an observation of a public topic with its timestamp. */
    public synchronized void observe(Observation observation, Instant at) {
        times.observe(observation, at);
        observe(withCreationTime(observation, at));
        bindings.observe(observation, at, objects::find);
    }

    private void addNamespace(ObjectKey key) {
        if (!key.namespace().isEmpty()) {
            namespaces.add(key.namespace());
        }
    }

    /** Gives a claim without a creation time the timestamp of the first record with its uid that was read. */
    private Observation withCreationTime(Observation observation, Instant at) {
        if (observation instanceof Observation.ObjectUpserted(Stamp stamp, ClusterObject object)
                && object instanceof ResourceClaim claim
                && claim.meta().created().filter(Instant.EPOCH::isBefore).isEmpty()) {
            Instant first = objects.find(Kind.RESOURCE_CLAIM, claim.key())
                    .map(ClusterObject::meta)
                    .filter(known -> known.uid().equals(claim.meta().uid()))
                    .flatMap(ObjectMeta::created)
                    .orElse(at);
            return new Observation.ObjectUpserted(
                    stamp,
                    new ResourceClaim(
                            claim.meta().withCreated(first), claim.spec(), claim.allocation(), claim.reservedFor()));
        }
        return observation;
    }

    /** Applies an observation of a public topic. */
    public synchronized void observe(Observation observation) {
        changes++;
        if (observation instanceof Observation.ObjectUpserted(Stamp _, ClusterObject object)) {
            addNamespace(object.key());
        }
        notifier.notifyIfChanged(objects.observe(observation));
    }

    /**
     * Applies a decision.
     *
     * @param at timestamp of the input that led to the decision
     */
    public synchronized void applyDecision(Decision decision, Instant at) {
        changes++;
        addNamespace(decision.claim());
        times.applyDecision(decision, at);
        var before = decisions.put(decision.claimUid(), new ClaimView.TimedDecision(decision, at));
        if (before == null || !ClaimAttempts.isReservation(before.decision(), decision)) {
            items.put(decision.claimUid(), decision.item());
        }
        ClaimAttempts known = attempts.getOrDefault(decision.claimUid(), ClaimAttempts.NONE);
        if (before == null
                || !ClaimAttempts.isReservation(before.decision(), decision)
                || known.lastRejected() == before.decision().number()) {
            attempts.put(decision.claimUid(), known.with(decision, at));
        }
        notifier.notifyIfChanged(List.of(decision.claim()));
    }

    /** Removes the decision and outcome of a claim. */
    public synchronized void forget(String claimUid) {
        changes++;
        items.remove(claimUid);
        outcomes.remove(claimUid);
        attempts.remove(claimUid);
        Optional.ofNullable(decisions.remove(claimUid))
                .ifPresent(
                        each -> notifier.notifyIfChanged(List.of(each.decision().claim())));
    }

    /** Applies an explanation of the state at a time. */
    public synchronized void applyExplanation(Explanation explanation, Instant at) {
        times.explained(explanation, at);
        applyExplanation(explanation);
    }

    /** Records that the cell has refreshed the explanations of all pending items. */
    public synchronized void applyRefresh(Output.TextsRefreshed refreshed) {
        times.refreshed(refreshed);
        notifyAll();
    }

    public synchronized void applyExplanation(Explanation explanation) {
        changes++;
        addNamespace(explanation.item().key());
        explanations.put(explanation.item(), explanation);
        notifier.notifyIfChanged(explanation.claims());
        notifyAll();
    }

    /** Removes the explanation of an item. */
    public synchronized void forget(ItemId item) {
        changes++;
        times.forget(item);
        Optional.ofNullable(explanations.remove(item)).ifPresent(each -> notifier.notifyIfChanged(each.claims()));
        notifyAll();
    }

    /** Applies the commit outcome of the writer. */
    public synchronized void applyOutcome(String claimUid, ClaimView.ReportedOutcome outcome) {
        changes++;
        ClaimView.TimedDecision lastDecision = decisions.get(claimUid);
        outcomes.put(claimUid, outcome);
        attempts.merge(claimUid, ClaimAttempts.NONE.with(outcome), (known, _) -> known.with(outcome));
        if (lastDecision != null) {
            notifier.notifyIfChanged(List.of(lastDecision.decision().claim()));
        }
    }

    /** Applies a comparison of observe-only mode. */
    public synchronized void applyComparison(Comparison comparison) {
        addNamespace(comparison.claim());
        comparisons.add(comparison);
    }

    public synchronized void applySample(DeviceId device, TelemetrySample sample) {
        changes++;
        samples.put(device, sample);
    }

    // ---- methods for watches

    /**
     * Notifies a listener of every change of a claim until the result is closed.
     * The consumer thread calls the listener, which must not block.
     *
     * @param fromStart whether the listener first receives all existing claims
     */
    synchronized AutoCloseable subscribe(ClaimChangeNotifier.ClaimListener follower, boolean fromStart) {
        Collection<ClaimView> claims = objects.all(Kind.RESOURCE_CLAIM)
                .map(ResourceClaim.class::cast)
                .map(this::view)
                .toList();
        notifier.add(follower, claims, fromStart);
        return () -> unsubscribe(follower);
    }

    private synchronized void unsubscribe(ClaimChangeNotifier.ClaimListener follower) {
        notifier.remove(follower);
    }
}
