package dev.claimstream.allocation.cell;

import dev.claimstream.allocation.solver.Reason.RetryTrigger;
import dev.claimstream.dra.Allocation;
import dev.claimstream.dra.ClaimConsumer;
import dev.claimstream.dra.ClusterObject;
import dev.claimstream.dra.DeviceClass;
import dev.claimstream.dra.DeviceResult;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.Pod;
import dev.claimstream.dra.PodGroup;
import dev.claimstream.dra.ResourceClaim;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Stream;

/** Turns an observation into facts. Stale observations change nothing. */
final class ObservationReducer {
    /** How long a pod avoids a node on which its claims were cleared. */
    static final Duration AVOID_PERIOD = Duration.ofSeconds(30);

    private final State state;
    private final Instant at;
    private final StateChange change = new StateChange();

    private ObservationReducer(State state, Instant at) {
        this.state = state;
        this.at = at;
    }

    static StateChange of(State state, Input input) {
        return of(state, input.observation(), input.at());
    }

    /** @param at time of the observation */
    static StateChange of(State state, Observation observation, Instant at) {
        var handler = new ObservationReducer(state, at);
        handler.expireRows();
        switch (observation) {
            case Observation.ObjectUpserted upsert -> handler.applyUpsert(upsert);
            case Observation.ObjectDeleted deletion -> handler.applyDelete(deletion);
            case Observation.KindSynced sync -> handler.applySync(sync);
            case Observation.KindStale stale -> handler.markStale(stale);
            case Observation.NodeLiveness liveness -> handler.applyLiveness(liveness);
            case Observation.CommitOutcome outcome -> new CommitOutcomeReducer(state, handler.change).apply(outcome);
            case Observation.ItemAssigned assigned -> state.coordination().assign(assigned, handler.change);
            case Observation.OfferDeclined declined -> state.coordination().decline(declined, handler.change);
            case Observation.NodeHandover handOver -> state.coordination().handOver(handOver, handler.change);
            case Observation.SettingsChanged configured -> handler.applySettings(configured);
            case Observation.DecisionRestored restored ->
                new CommitOutcomeReducer(state, handler.change).restore(restored.decision());
            case Observation.Probe probe -> handler.applyProbe(probe);
            case Observation.Tick _, Observation.WorkSliceDue _ -> {}
        }
        return handler.change;
    }

    private void expireRows() {
        for (Row over : state.expiredAt(at)) {
            change.drop(over);
            change.wakes.add(over instanceof ClaimRow.QuarantineRow ? RetryTrigger.CAPACITY : RetryTrigger.NODE_RESOURCES);
        }
    }

    // ---- objects
    // ---------------------------------------------------------------------------------------------------------------

    private void applyUpsert(Observation.ObjectUpserted upsert) {
        ClusterObject object = upsert.object();
        if (hasUidOfOtherClaim(object)) {
            change.ignored = Optional.of(IgnoredObservation.IgnoredReason.FOREIGN);
            return;
        }
        Optional<ObservedRow.ObjectRow> known = state.object(object.kind(), object.key());
        if (known.isEmpty()
                ? isStale(upsert.stamp(), object.kind())
                : !known.get().known().isUpdatedBy(upsert)) {
            known.ifPresent(row -> confirm(row, upsert.stamp()));
            change.ignored = ignoredReason(known, upsert.stamp());
            return;
        }
        Stamp stamp = mergedStamp(upsert.stamp(), known);
        change.put(new ObservedRow.ObjectRow(object.kind(), object.key(), object.meta().uid(), stamp, Optional.of(object)));
        applyEffects(
                object.kind(),
                object.key(),
                known.flatMap(ObservedRow.ObjectRow::content),
                Optional.of(object),
                stamp.version());
        boolean wasFree = known.flatMap(ObservedRow.ObjectRow::content)
                .filter(before -> ((before instanceof ResourceClaim claim)
                        && claim.allocation().isPresent()))
                .isEmpty();
        if (wasFree
                && object instanceof ResourceClaim claim
                && claim.allocation().isEmpty()) {
            repeatDecision(claim, stamp.version());
        }
    }

    /**
     * Repeats an unconfirmed decision for the new version of a claim, because the writer commits only to the decided
     * version.
     */
    private void repeatDecision(ResourceClaim claim, long version) {
        state.decidedAllocation(claim.meta().uid())
                .filter(decided -> decided.commitState() == ClaimRow.AllocationRow.CommitState.GIVEN
                        && decided.claimVersion() != version)
                .ifPresent(decided -> {
                    Row.CountRow count = state.count();
                    long number = state.coordination().nextDecision(count.decisions());
                    ClaimRow.AllocationRow again =
                            decided.withDecision(number, WorkItemAssembly.consumers(state, claim), version);
                    change.put(count.withDecisions(number));
                    change.put(again);
                    change.outputs.add(new Output.DecisionMade(
                            new Decision(again.claim(), again.claimUid(), number, again.item(), again.result())));
                });
    }

    /** Whether another existing claim has this UID. Allocations are keyed by UID, so such a claim is invalid. */
    private boolean hasUidOfOtherClaim(ClusterObject object) {
        return object instanceof ResourceClaim claim
                && state.claimWithUid(claim.meta().uid())
                        .filter(key -> !key.equals(claim.key()))
                        .isPresent();
    }

    /**
     * Whether an upsert of an unknown object is older than a complete list that did not contain the object.
     *
     * <p>Records newer than the list are valid, even from a process that listed earlier and still watches.
     */
    private boolean isStale(Stamp stamp, Kind kind) {
        return state.row(ObservedRow.SourceRow.key(kind, stamp.source()))
                .filter(row -> row.last().supersedes(stamp))
                .isPresent();
    }

    private static Optional<IgnoredObservation.IgnoredReason> ignoredReason(
            Optional<ObservedRow.ObjectRow> known, Stamp stamp) {
        return known.isEmpty()
                ? Optional.of(IgnoredObservation.IgnoredReason.STALE)
                : known.get().known().ignoredReason(stamp);
    }

    private static Stamp mergedStamp(Stamp accepted, Optional<ObservedRow.ObjectRow> known) {
        return known.map(row -> row.known().mergedStamp(accepted)).orElse(accepted);
    }

    private void confirm(ObservedRow.ObjectRow row, Stamp list) {
        Stamp shown = row.known().confirmedBy(list).stamp();
        if (!shown.equals(row.stamp())) {
            change.put(new ObservedRow.ObjectRow(row.kind(), row.object(), row.uid(), shown, row.content()));
        }
        if (row.kind() == Kind.RESOURCE_CLAIM && shown.timing() != row.stamp().timing()) {
            change.touchUsersOf(row.object(), state); // the timing rule of its source has changed
        }
    }

    private void applyDelete(Observation.ObjectDeleted deletion) {
        Optional<ObservedRow.ObjectRow> known = state.object(deletion.kind(), deletion.key());
        if (known.isEmpty()
                ? isStale(deletion.stamp(), deletion.kind())
                : !known.get().known().isDeletedBy(deletion)) {
            known.filter(row -> row.content().isEmpty()).ifPresent(row -> confirm(row, deletion.stamp()));
            change.ignored = ignoredReason(known, deletion.stamp());
            return;
        }
        change.put(new ObservedRow.ObjectRow(
                deletion.kind(),
                deletion.key(),
                deletion.uid(),
                mergedStamp(deletion.stamp(), known),
                Optional.empty()));
        applyEffects(
                deletion.kind(),
                deletion.key(),
                known.flatMap(ObservedRow.ObjectRow::content),
                Optional.empty(),
                deletion.stamp().version());
    }

    // ---- effects of an object change
    // ----------------------------------------------------------------------------

    /** @param version version of the object now, or at its deletion */
    private void applyEffects(
            Kind kind, ObjectKey key, Optional<ClusterObject> before, Optional<ClusterObject> after, long version) {
        switch (kind) {
            case RESOURCE_SLICE, NODE, DEVICE_TAINT_RULE -> change.wakes.add(RetryTrigger.CAPACITY);
            case DEVICE_CLASS -> {
                if (isUnmanaged(before) || isUnmanaged(after)) {
                    state.rows(SchedulingRow.ItemRow.ALL).stream()
                            .forEach(row -> change.touched.add(row.item())); // unmanaged claims may be managed now
                }
                change.wakes.add(RetryTrigger.CLASSES);
                change.wakes.add(RetryTrigger.CAPACITY);
            }
            case NAMESPACE -> change.wakes.add(RetryTrigger.NAMESPACES);
            case POD_GROUP -> groupChanged(key, before.map(PodGroup.class::cast), after.map(PodGroup.class::cast));
            case RESOURCE_CLAIM_TEMPLATE -> change.wakes.add(RetryTrigger.CLAIMS);
            case POD -> podChanged(key, before.map(Pod.class::cast), after.map(Pod.class::cast));
            case RESOURCE_CLAIM ->
                claimChanged(key, before.map(ResourceClaim.class::cast), after.map(ResourceClaim.class::cast), version);
        }
    }

    private static boolean isUnmanaged(Optional<ClusterObject> found) {
        return found.orElse(null) instanceof DeviceClass each && each.allocator() == DeviceClass.ClassAllocator.OTHERS;
    }

    private void groupChanged(ObjectKey key, Optional<PodGroup> before, Optional<PodGroup> after) {
        state.podIndex().membersOf(key).forEach(pod -> change.touched.add(ItemId.pod(pod)));
        Stream.concat(before.stream(), after.stream())
                .flatMap(group -> group.claims().stream())
                .forEach(claim -> change.touched.add(ItemId.claim(claim)));
    }

    private void podChanged(ObjectKey key, Optional<Pod> before, Optional<Pod> after) {
        change.touched.add(ItemId.pod(key));
        if (!DeallocationCandidates.hasSamePlacement(before, after)) {
            before.ifPresent(this::allowDeallocation);
        }
        before.ifPresent(this::touchClaims);
        after.ifPresent(this::touchClaims);
        if (after.filter(pod -> !pod.finished()).isEmpty()) {
            change.wakes.add(RetryTrigger.CLAIMS);
        }
        if (before.filter(pod -> freesNodeResources(pod, after)).isPresent()) {
            change.wakes.add(RetryTrigger.NODE_RESOURCES);
        }
        before.filter(pod -> isDeleted(pod, after) && mayRun(pod)).ifPresent(this::coolDown);
        before.filter(pod -> stopsUsingClaims(pod, after))
                .ifPresent(pod -> pod.claims().forEach(claim -> change.touchUsersOf(claim, state)));
    }

    /** Whether a claim of the pod may now be deallocated for another pod. */
    private static boolean stopsUsingClaims(Pod before, Optional<Pod> after) {
        return !before.finished()
                && (isDeleted(before, after) || after.orElseThrow().finished());
    }

    /** Allows another deallocation after one was rejected for the previous state of the pod. */
    private void allowDeallocation(Pod before) {
        before.claims().stream()
                .flatMap(claim -> state.claim(claim).stream())
                .flatMap(claim -> state.deallocation(claim.meta().uid()).stream())
                .filter(row ->
                        !row.isActive() && row.podUid().equals(before.meta().uid()))
                .forEach(row -> change.drop(row));
    }

    private static boolean isDeleted(Pod before, Optional<Pod> after) {
        return after.filter(pod -> pod.meta().uid().equals(before.meta().uid())).isEmpty();
    }

    /**
     * Whether the pod's containers may still run. A kubelet reports the end of a pod before it deletes the pod; a
     * force-deleted pod may run on.
     */
    private static boolean mayRun(Pod pod) {
        return pod.nodeName().isPresent() && !pod.finished();
    }

    private void coolDown(Pod pod) {
        for (ObjectKey key : pod.claims()) {
            state.claim(key).filter(claim -> isReservedFor(claim, pod)).ifPresent(this::coolDown);
        }
    }

    private static boolean isReservedFor(ResourceClaim claim, Pod pod) {
        return claim.reservedFor().stream()
                .anyMatch(consumer -> consumer.isPodGroup()
                        ? pod.podGroup().equals(Optional.of(consumer.name()))
                        : consumer.uid().equals(pod.meta().uid()));
    }

    /** Puts the devices of a claim into quarantine, because a force-deleted pod may still use them. */
    private void coolDown(ResourceClaim claim) {
        Duration time = state.settings().coolDown();
        if (time.isPositive()) {
            claim.allocation()
                    .ifPresent(allocation -> change.put(new ClaimRow.QuarantineRow(
                            claim.key(), claim.meta().uid(), withQuarantined(allocation, claim), at.plus(time))));
        }
    }

    /** Adds devices of the claim that are still in quarantine. */
    private Allocation withQuarantined(Allocation allocation, ResourceClaim claim) {
        List<DeviceResult> results = new ArrayList<>(allocation.results());
        state.row(ClaimRow.QuarantineRow.key(claim.meta().uid()))
                .ifPresent(row -> row.allocation().results().stream()
                        .filter(rest -> !results.contains(rest))
                        .forEach(results::add));
        return new Allocation(
                results, allocation.config(), allocation.nodeSelector(), allocation.allocationTimestamp());
    }

    private static boolean freesNodeResources(Pod before, Optional<Pod> after) {
        return !before.finished()
                && after.filter(pod -> !pod.finished()
                                && pod.nodeName().equals(before.nodeName())
                                && pod.requests().equals(before.requests()))
                        .isEmpty();
    }

    private void touchClaims(Pod pod) {
        pod.claims().forEach(claim -> change.touched.add(ItemId.claim(claim)));
    }

    private void claimChanged(
            ObjectKey key, Optional<ResourceClaim> before, Optional<ResourceClaim> after, long version) {
        change.touchUsersOf(key, state);
        change.wakes.add(RetryTrigger.CLAIMS);
        before.ifPresent(claim -> {
            boolean replaced = after.isEmpty()
                    || !after.get().meta().uid().equals(claim.meta().uid());
            boolean cleared = claim.allocation().isPresent()
                    && after.flatMap(ResourceClaim::allocation).isEmpty();
            Optional<ClaimRow.DeallocationRow> deallocation =
                    state.deallocation(claim.meta().uid());
            if (cleared && !replaced && deallocation.isEmpty()) {
                state.decidedAllocation(claim.meta().uid()).ifPresent(decided -> avoidNode(decided, version));
            }
            if (replaced || cleared) {
                release(claim);
                if (isUsed(claim)) {
                    coolDown(claim);
                }
            }
            deallocation
                    .filter(row -> replaced || cleared || isChangedSince(row, version))
                    .ifPresent(row -> change.drop(row));
            if (replaced) {
                change.outputs.addAll(state.coordination().claimDeleted(claim.meta().uid()));
            }
            state.row(ClaimRow.RejectionRow.key(claim.meta().uid()))
                    .filter(rejection -> replaced || !rejection.appliesTo(version))
                    .ifPresent(rejection -> change.drop(rejection));
        });
        after.ifPresent(this::releaseOnConflict);
        Optional<Allocation> decided = after.flatMap(ResourceClaim::allocation);
        change.hasAllocated |= decided.isPresent() && !decided.equals(before.flatMap(ResourceClaim::allocation));
    }

    /**
     * Whether a rejected deallocation may be decided again. Before the rejection the writer itself changes the claim.
     */
    private static boolean isChangedSince(ClaimRow.DeallocationRow row, long version) {
        return !row.isActive() && version > row.claimVersion();
    }

    /**
     * Avoids the node of an allocation that was cleared without a decision, for pods that are not bound yet.
     *
     * <p>Either kube-scheduler found that the node does not fit, or the writer cleared the claim. The version tells the
     * two apart, see {@link CommitOutcomeReducer#clearAvoidedNodes}.
     */
    private void avoidNode(ClaimRow.AllocationRow decided, long version) {
        for (ClaimConsumer consumer : decided.reservedFor()) {
            var key = new ObjectKey(decided.claim().namespace(), consumer.name());
            state.pod(key)
                    .filter(pod -> pod.meta().uid().equals(consumer.uid()) && isToBeBound(pod))
                    .ifPresent(pod -> change.put(new SchedulingRow.AvoidedNodeRow(
                            ItemId.pod(key), consumer.uid(), decided.node(), at.plus(AVOID_PERIOD), version)));
        }
    }

    /** Whether a known pod may still use the claim. The deletion of a pod can arrive after the change of its claim. */
    private boolean isUsed(ResourceClaim claim) {
        return state.podsOf(claim.key()).stream()
                .flatMap(key -> state.pod(key).stream())
                .anyMatch(pod -> mayRun(pod) && isReservedFor(claim, pod));
    }

    private static boolean isToBeBound(Pod pod) {
        return !pod.finished() && !pod.meta().deleting() && pod.nodeName().isEmpty();
    }

    private void release(ResourceClaim claim) {
        change.wakes.add(RetryTrigger.CAPACITY);
        state.decidedAllocation(claim.meta().uid()).ifPresent(decided -> change.release(decided, state));
    }

    /**
     * Releases the cell's own decision if the claim's status has other devices: an allocation in the status is
     * immutable.
     */
    private void releaseOnConflict(ResourceClaim claim) {
        if (claim.allocation().isEmpty()) {
            return;
        }
        state.decidedAllocation(claim.meta().uid())
                .filter(decided -> !ClaimDevices.devicesOf(decided.allocation())
                        .equals(ClaimDevices.devicesOf(claim.allocation().get())))
                .ifPresent(decided -> change.release(decided, state));
    }

    // ---- sources
    // ---------------------------------------------------------------------------------------------------------------

    private void applySync(Observation.KindSynced sync) {
        Stamp stamp = sync.stamp();
        ObservedRow.SourceRow known = state.row(ObservedRow.SourceRow.key(sync.kind(), stamp.source()))
                .orElse(new ObservedRow.SourceRow(sync.kind(), stamp.source(), 0, new TreeSet<>(), LastList.NONE, false));
        if (stamp.epoch() < known.epoch() || stamp.epoch() <= known.last().epoch()) {
            noteIfStale(stamp.epoch(), known.epoch());
            return;
        }
        SortedSet<Integer> arrived =
                new TreeSet<>(stamp.epoch() == known.epoch() ? known.syncedPartitions() : new TreeSet<>());
        arrived.add(sync.partition());
        boolean complete = arrived.size() >= sync.partitions();
        LastList last = complete ? new LastList(stamp.epoch(), stamp.version()) : known.last();
        change.put(new ObservedRow.SourceRow(
                sync.kind(), stamp.source(), stamp.epoch(), arrived, last, known.stale() && !complete));
        if (complete) {
            change.wakes.add(RetryTrigger.SOURCES);
            sweep(sync.kind(), stamp.source(), last, known.last());
        }
    }

    private void noteIfStale(long epoch, long known) {
        if (epoch < known) {
            change.ignored = Optional.of(IgnoredObservation.IgnoredReason.STALE);
        }
    }

    /** Deletes objects that the list did not contain, and tombstones that are no longer needed. */
    private void sweep(Kind kind, String source, LastList list, LastList before) {
        for (ObservedRow.ObjectRow object : state.rows(ObservedRow.ObjectRow.allOf(kind))) {
            if (object.stamp().source().equals(source)
                    && list.sweeps(object.stamp(), before)) {
                change.drop(object);
                object.content()
                        .ifPresent(content -> applyEffects(
                                kind, object.object(), Optional.of(content), Optional.empty(), list.version()));
            }
        }
    }

    private void markStale(Observation.KindStale stale) {
        Optional<ObservedRow.SourceRow> known = state.row(ObservedRow.SourceRow.key(stale.kind(), stale.stamp().source()));
        known.ifPresent(row -> noteIfStale(stale.stamp().epoch(), row.last().epoch()));
        known.filter(row -> stale.stamp().epoch() >= row.last().epoch() && !row.stale())
                .ifPresent(row -> change.put(new ObservedRow.SourceRow(
                        row.kind(), row.source(), row.epoch(), row.syncedPartitions(), row.last(), true)));
    }

    private void applyLiveness(Observation.NodeLiveness liveness) {
        Optional<ObservedRow.NodeLivenessRow> known = state.row(ObservedRow.NodeLivenessRow.key(liveness.node()));
        known.ifPresent(
                row -> noteIfStale(liveness.stamp().version(), row.stamp().version()));
        if (known.filter(row -> liveness.stamp().version() <= row.stamp().version())
                .isEmpty()) {
            change.put(new ObservedRow.NodeLivenessRow(liveness.node(), liveness.stamp(), liveness.silent()));
            change.wakes.add(RetryTrigger.CAPACITY);
        }
    }

    private void applySettings(Observation.SettingsChanged configured) {
        if (!configured.settings().equals(state.settings())) {
            change.put(new Row.SettingsRow(configured.settings()));
            if (!configured.settings().engine().equals(state.settings().engine())) {
                state.chargedWork()
                        .all()
                        .forEach(row -> change.drop(row)); // another engine may give other answers
            }
            state.podIndex().groupMembers().forEach(pod -> change.touched.add(ItemId.pod(pod)));
            if (!configured.settings().features().equals(state.settings().features())) {
                ClaimConsumers.decidedClaims(state).forEach(claim -> change.touched.add(ItemId.claim(claim)));
            }
            change.wakes.add(RetryTrigger.SOURCES);
            change.wakes.add(RetryTrigger.CAPACITY);
        }
    }

    private void applyProbe(Observation.Probe probe) {
        SortedSet<Integer> arrived = new TreeSet<>(
                state.row(Row.ProbeRow.key(probe.id())).map(Row.ProbeRow::arrivedPartitions).orElse(new TreeSet<>()));
        arrived.add(probe.partition());
        change.put(new Row.ProbeRow(
                probe.id(),
                arrived,
                probe.partitions(),
                state.row(Row.ProbeRow.key(probe.id())).map(Row.ProbeRow::slices).orElse(0)));
    }
}
