package dev.claimstream.allocation.cell;

import dev.claimstream.allocation.solver.Reason.Wake;
import dev.claimstream.dra.Allocation;
import dev.claimstream.dra.ClusterObject;
import dev.claimstream.dra.Consumer;
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
final class Observing {
    /** How long a pod avoids a node on which its claims were cleared. */
    static final Duration AVOIDED = Duration.ofSeconds(30);

    private final State state;
    private final Instant at;
    private final Change change = new Change();

    private Observing(State state, Instant at) {
        this.state = state;
        this.at = at;
    }

    static Change of(State state, Input input) {
        return of(state, input.what(), input.at());
    }

    /** @param at time of the observation */
    static Change of(State state, Observation observation, Instant at) {
        var observing = new Observing(state, at);
        observing.timePasses();
        switch (observation) {
            case Observation.Seen seen -> observing.seen(seen);
            case Observation.Gone gone -> observing.gone(gone);
            case Observation.Listed listed -> observing.listed(listed);
            case Observation.Stale stale -> observing.stale(stale);
            case Observation.Heard heard -> observing.heard(heard);
            case Observation.Carried carried -> new Outcomes(state, observing.change).carried(carried);
            case Observation.Assigned assigned -> new Orders(state, observing.change).assigned(assigned);
            case Observation.Declined declined -> new Orders(state, observing.change).declined(declined);
            case Observation.HandOver handOver -> new Orders(state, observing.change).handOver(handOver);
            case Observation.Configured configured -> observing.configured(configured);
            case Observation.Restored restored -> new Outcomes(state, observing.change).restored(restored.decision());
            case Observation.Probe probe -> observing.probe(probe);
            case Observation.Tick _, Observation.Continue _ -> {}
        }
        return observing.change;
    }

    private void timePasses() {
        for (Row over : state.overAt(at)) {
            change.drop(over.key());
            change.wakes.add(over instanceof Row.CoolRow ? Wake.CAPACITY : Wake.ROOM);
        }
    }

    // ---- objects
    // ---------------------------------------------------------------------------------------------------------------

    private void seen(Observation.Seen seen) {
        ClusterObject object = seen.object();
        if (hasAnothersUid(object)) {
            change.ignored = Optional.of(Ignored.Why.FOREIGN);
            return;
        }
        Optional<Row.ObjectRow> known = state.object(object.kind(), object.key());
        if (known.isEmpty()
                ? isSwept(seen.stamp(), object.kind())
                : !known.get().known().isNews(seen)) {
            known.ifPresent(row -> shownAgain(row, seen.stamp()));
            change.ignored = whyIgnored(known, seen.stamp());
            return;
        }
        Stamp stamp = shownBy(seen.stamp(), known);
        change.put(new Row.ObjectRow(object.kind(), object.key(), object.meta().uid(), stamp, Optional.of(object)));
        effect(
                object.kind(),
                object.key(),
                known.flatMap(Row.ObjectRow::content),
                Optional.of(object),
                stamp.version());
        boolean wasFree = known.flatMap(Row.ObjectRow::content)
                .filter(before -> ((before instanceof ResourceClaim claim)
                        && claim.allocation().isPresent()))
                .isEmpty();
        if (wasFree
                && object instanceof ResourceClaim claim
                && claim.allocation().isEmpty()) {
            sayAgain(claim, stamp.version());
        }
    }

    /**
     * Repeats an unconfirmed decision for the new version of a claim, because the writer commits only to the decided
     * version.
     */
    private void sayAgain(ResourceClaim claim, long version) {
        state.grant(claim.meta().uid())
                .filter(grant -> grant.standing() == Row.GrantRow.Standing.GIVEN && grant.claimVersion() != version)
                .ifPresent(grant -> {
                    Row.CountRow count = state.count();
                    long number = state.place().next(count.decisions());
                    Row.GrantRow again = grant.again(number, Assembly.consumers(state, claim), version);
                    change.put(new Row.CountRow(number, count.grants(), count.offset()));
                    change.put(again);
                    change.outputs.add(new Output.Decided(
                            new Decision(again.claim(), again.claimUid(), number, again.item(), again.verdict())));
                });
    }

    /** Whether another existing claim has this UID. Allocations are keyed by UID, so such a claim is invalid. */
    private boolean hasAnothersUid(ClusterObject object) {
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
    private boolean isSwept(Stamp stamp, Kind kind) {
        return state.source(kind, stamp.source())
                .filter(row -> row.last().hasOvertaken(stamp))
                .isPresent();
    }

    private static Optional<Ignored.Why> whyIgnored(Optional<Row.ObjectRow> known, Stamp word) {
        return known.isEmpty()
                ? Optional.of(Ignored.Why.STALE)
                : known.get().known().whyIgnored(word);
    }

    private static Stamp shownBy(Stamp news, Optional<Row.ObjectRow> known) {
        return known.map(row -> row.known().shownBy(news)).orElse(news);
    }

    private void shownAgain(Row.ObjectRow row, Stamp by) {
        Stamp shown = row.known().shownAgain(by).stamp();
        if (!shown.equals(row.stamp())) {
            change.put(new Row.ObjectRow(row.kind(), row.object(), row.uid(), shown, row.content()));
        }
        if (row.kind() == Kind.RESOURCE_CLAIM && shown.timing() != row.stamp().timing()) {
            change.touchUsersOf(row.object(), state); // the timing rule of its source has changed
        }
    }

    private void gone(Observation.Gone gone) {
        Optional<Row.ObjectRow> known = state.object(gone.kind(), gone.key());
        if (known.isEmpty()
                ? isSwept(gone.stamp(), gone.kind())
                : !known.get().known().isEnd(gone)) {
            known.filter(row -> row.content().isEmpty()).ifPresent(row -> shownAgain(row, gone.stamp()));
            change.ignored = whyIgnored(known, gone.stamp());
            return;
        }
        change.put(
                new Row.ObjectRow(gone.kind(), gone.key(), gone.uid(), shownBy(gone.stamp(), known), Optional.empty()));
        effect(
                gone.kind(),
                gone.key(),
                known.flatMap(Row.ObjectRow::content),
                Optional.empty(),
                gone.stamp().version());
    }

    // ---- effects of an object change
    // ----------------------------------------------------------------------------

    /** @param version version of the object now, or at its deletion */
    private void effect(
            Kind kind, ObjectKey key, Optional<ClusterObject> before, Optional<ClusterObject> after, long version) {
        switch (kind) {
            case RESOURCE_SLICE, NODE, DEVICE_TAINT_RULE -> change.wakes.add(Wake.CAPACITY);
            case DEVICE_CLASS -> {
                if (isOfOthers(before) || isOfOthers(after)) {
                    state.rowsFrom("item/").values().stream()
                            .map(Row.ItemRow.class::cast)
                            .forEach(row -> change.touched.add(row.item())); // unmanaged claims may be managed now
                }
                change.wakes.add(Wake.CLASSES);
                change.wakes.add(Wake.CAPACITY);
            }
            case NAMESPACE -> change.wakes.add(Wake.NAMESPACES);
            case POD_GROUP -> groupChanged(key, before.map(PodGroup.class::cast), after.map(PodGroup.class::cast));
            case RESOURCE_CLAIM_TEMPLATE -> change.wakes.add(Wake.CLAIMS);
            case POD -> podChanged(key, before.map(Pod.class::cast), after.map(Pod.class::cast));
            case RESOURCE_CLAIM ->
                claimChanged(key, before.map(ResourceClaim.class::cast), after.map(ResourceClaim.class::cast), version);
        }
    }

    private static boolean isOfOthers(Optional<ClusterObject> found) {
        return found.orElse(null) instanceof DeviceClass each && each.givenBy() == DeviceClass.Giver.OTHERS;
    }

    private void groupChanged(ObjectKey key, Optional<PodGroup> before, Optional<PodGroup> after) {
        state.membersOf(key).forEach(pod -> change.touched.add(ItemId.pod(pod)));
        Stream.concat(before.stream(), after.stream())
                .flatMap(group -> group.claims().stream())
                .forEach(claim -> change.touched.add(ItemId.claim(claim)));
    }

    private void podChanged(ObjectKey key, Optional<Pod> before, Optional<Pod> after) {
        change.touched.add(ItemId.pod(key));
        if (!Deallocation.isSame(before, after)) {
            before.ifPresent(this::allowDeallocation);
        }
        before.ifPresent(this::touchClaims);
        after.ifPresent(this::touchClaims);
        if (after.filter(pod -> !pod.finished()).isEmpty()) {
            change.wakes.add(Wake.CLAIMS);
        }
        if (before.filter(pod -> leavesRoom(pod, after)).isPresent()) {
            change.wakes.add(Wake.ROOM);
        }
        before.filter(pod -> isGone(pod, after) && mayRun(pod)).ifPresent(this::coolDown);
        before.filter(pod -> leavesItsClaims(pod, after))
                .ifPresent(pod -> pod.claims().forEach(claim -> change.touchUsersOf(claim, state)));
    }

    /** Whether a claim of the pod may now be deallocated for another pod. */
    private static boolean leavesItsClaims(Pod before, Optional<Pod> after) {
        return !before.finished()
                && (isGone(before, after) || after.orElseThrow().finished());
    }

    /** Allows another deallocation after one was rejected for the previous state of the pod. */
    private void allowDeallocation(Pod before) {
        before.claims().stream()
                .flatMap(claim -> state.claim(claim).stream())
                .flatMap(claim -> state.deallocation(claim.meta().uid()).stream())
                .filter(row ->
                        !row.isOrdered() && row.podUid().equals(before.meta().uid()))
                .forEach(row -> change.drop(row.key()));
    }

    private static boolean isGone(Pod before, Optional<Pod> after) {
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
                    .ifPresent(allocation -> change.put(new Row.CoolRow(
                            claim.key(), claim.meta().uid(), withRest(allocation, claim), at.plus(time))));
        }
    }

    /** Adds devices of the claim that are still in quarantine. */
    private Allocation withRest(Allocation allocation, ResourceClaim claim) {
        List<DeviceResult> results = new ArrayList<>(allocation.results());
        state.cooling(claim.meta().uid())
                .ifPresent(row -> row.allocation().results().stream()
                        .filter(rest -> !results.contains(rest))
                        .forEach(results::add));
        return new Allocation(
                results, allocation.config(), allocation.nodeSelector(), allocation.allocationTimestamp());
    }

    private static boolean leavesRoom(Pod before, Optional<Pod> after) {
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
        change.wakes.add(Wake.CLAIMS);
        before.ifPresent(claim -> {
            boolean replaced = after.isEmpty()
                    || !after.get().meta().uid().equals(claim.meta().uid());
            boolean cleared = claim.allocation().isPresent()
                    && after.flatMap(ResourceClaim::allocation).isEmpty();
            Optional<Row.DeallocationRow> deallocation =
                    state.deallocation(claim.meta().uid());
            if (cleared && !replaced && deallocation.isEmpty()) {
                state.grant(claim.meta().uid()).ifPresent(grant -> notTaken(grant, version));
            }
            if (replaced || cleared) {
                release(claim);
                if (isUsed(claim)) {
                    coolDown(claim);
                }
            }
            deallocation
                    .filter(row -> replaced || cleared || isChangedSince(row, version))
                    .ifPresent(row -> change.drop(row.key()));
            if (replaced && state.place().isAlone()) {
                change.outputs.add(new Output.Ended(claim.meta().uid()));
            }
            state.refused(claim.meta().uid())
                    .filter(refused -> replaced || !refused.countsFor(version))
                    .ifPresent(refused -> change.drop(refused.key()));
        });
        after.ifPresent(this::foreignWins);
        Optional<Allocation> given = after.flatMap(ResourceClaim::allocation);
        change.takes |= given.isPresent() && !given.equals(before.flatMap(ResourceClaim::allocation));
    }

    /**
     * Whether a rejected deallocation may be decided again. Before the rejection the writer itself changes the claim.
     */
    private static boolean isChangedSince(Row.DeallocationRow row, long version) {
        return !row.isOrdered() && version > row.claimVersion();
    }

    /**
     * Avoids the node of an allocation that was cleared without a decision, for pods that are not bound yet.
     *
     * <p>Either kube-scheduler found that the node does not fit, or the writer cleared the claim. The version tells the
     * two apart, see {@link Outcomes#reopen}.
     */
    private void notTaken(Row.GrantRow grant, long version) {
        for (Consumer consumer : grant.reservedFor()) {
            var key = new ObjectKey(grant.claim().namespace(), consumer.name());
            state.pod(key)
                    .filter(pod -> pod.meta().uid().equals(consumer.uid()) && isToBeBound(pod))
                    .ifPresent(pod -> change.put(new Row.AvoidRow(
                            ItemId.pod(key), consumer.uid(), grant.node(), at.plus(AVOIDED), version)));
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
        change.wakes.add(Wake.CAPACITY);
        state.grant(claim.meta().uid()).ifPresent(grant -> change.release(grant, state));
    }

    /**
     * Releases the cell's own decision if the claim's status has other devices: an allocation in the status is
     * immutable.
     */
    private void foreignWins(ResourceClaim claim) {
        if (claim.allocation().isEmpty()) {
            return;
        }
        state.grant(claim.meta().uid())
                .filter(grant -> !State.devicesOf(grant.allocation())
                        .equals(State.devicesOf(claim.allocation().get())))
                .ifPresent(grant -> change.release(grant, state));
    }

    // ---- sources
    // ---------------------------------------------------------------------------------------------------------------

    private void listed(Observation.Listed listed) {
        Stamp stamp = listed.stamp();
        Row.SourceRow known = state.source(listed.kind(), stamp.source())
                .orElse(new Row.SourceRow(listed.kind(), stamp.source(), 0, new TreeSet<>(), LastList.NONE, false));
        if (stamp.epoch() < known.epoch() || stamp.epoch() <= known.last().epoch()) {
            noteIfOld(stamp.epoch(), known.epoch());
            return;
        }
        SortedSet<Integer> arrived = new TreeSet<>(stamp.epoch() == known.epoch() ? known.arrived() : new TreeSet<>());
        arrived.add(listed.partition());
        boolean complete = arrived.size() >= listed.partitions();
        LastList last = complete ? new LastList(stamp.epoch(), stamp.version()) : known.last();
        change.put(new Row.SourceRow(
                listed.kind(), stamp.source(), stamp.epoch(), arrived, last, known.stale() && !complete));
        if (complete) {
            change.wakes.add(Wake.SOURCES);
            sweep(listed.kind(), stamp.source(), last, known.last());
        }
    }

    private void noteIfOld(long said, long known) {
        if (said < known) {
            change.ignored = Optional.of(Ignored.Why.STALE);
        }
    }

    /** Deletes objects that the list did not contain, and tombstones that are no longer needed. */
    private void sweep(Kind kind, String source, LastList list, LastList before) {
        for (Row row : state.rowsFrom("object/" + kind.apiName() + "/").values()) {
            if (row instanceof Row.ObjectRow object
                    && object.stamp().source().equals(source)
                    && list.sweeps(object.stamp(), before)) {
                change.drop(object.key());
                object.content()
                        .ifPresent(content ->
                                effect(kind, object.object(), Optional.of(content), Optional.empty(), list.version()));
            }
        }
    }

    private void stale(Observation.Stale stale) {
        Optional<Row.SourceRow> known = state.source(stale.kind(), stale.stamp().source());
        known.ifPresent(row -> noteIfOld(stale.stamp().epoch(), row.last().epoch()));
        known.filter(row -> stale.stamp().epoch() >= row.last().epoch() && !row.stale())
                .ifPresent(row -> change.put(
                        new Row.SourceRow(row.kind(), row.source(), row.epoch(), row.arrived(), row.last(), true)));
    }

    private void heard(Observation.Heard heard) {
        Optional<Row.HeardRow> known = state.heard(heard.node());
        known.ifPresent(row -> noteIfOld(heard.stamp().version(), row.stamp().version()));
        if (known.filter(row -> heard.stamp().version() <= row.stamp().version())
                .isEmpty()) {
            change.put(new Row.HeardRow(heard.node(), heard.stamp(), heard.silent()));
            change.wakes.add(Wake.CAPACITY);
        }
    }

    private void configured(Observation.Configured configured) {
        if (!configured.settings().equals(state.settings())) {
            change.put(new Row.SettingsRow(configured.settings()));
            if (!configured.settings().engine().equals(state.settings().engine())) {
                state.paid().all().forEach(row -> change.drop(row.key())); // another engine may give other answers
            }
            state.members().forEach(pod -> change.touched.add(ItemId.pod(pod)));
            if (!configured.settings().features().equals(state.settings().features())) {
                Consumers.ofGrants(state).forEach(claim -> change.touched.add(ItemId.claim(claim)));
            }
            change.wakes.add(Wake.SOURCES);
            change.wakes.add(Wake.CAPACITY);
        }
    }

    private void probe(Observation.Probe probe) {
        SortedSet<Integer> arrived =
                new TreeSet<>(state.probe(probe.id()).map(Row.ProbeRow::arrived).orElse(new TreeSet<>()));
        arrived.add(probe.partition());
        change.put(new Row.ProbeRow(
                probe.id(),
                arrived,
                probe.partitions(),
                state.probe(probe.id()).map(Row.ProbeRow::slices).orElse(0)));
    }
}
