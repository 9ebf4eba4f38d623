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

/** Turns an observation into facts. An observation that is older than what is known changes nothing. */
final class Observing {
    /** How long an item keeps away from a node that has not taken it. */
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

    /** @param at when it is observed */
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

    /** What is on its way to a claim counts for the version that was decided; where the claim has changed since, it is said for that. */
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

    /** Grants go by uid: a claim that uses the uid of another one that stands is nonsense. */
    private boolean hasAnothersUid(ClusterObject object) {
        return object instanceof ResourceClaim claim
                && state.claimWithUid(claim.meta().uid())
                        .filter(key -> !key.equals(claim.key()))
                        .isPresent();
    }

    /**
     * A complete list of its source did not show it: word of it from before that list is late. Word of what came after the list is none,
     * also from a process that has listed earlier and still follows.
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
            change.touchUsersOf(row.object(), state); // its source has another rule now
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

    // ---- what a change of an object means to others
    // ----------------------------------------------------------------------------

    /** @param version that the object has now, or had when it was gone */
    private void effect(
            Kind kind, ObjectKey key, Optional<ClusterObject> before, Optional<ClusterObject> after, long version) {
        switch (kind) {
            case RESOURCE_SLICE, NODE, DEVICE_TAINT_RULE -> change.wakes.add(Wake.CAPACITY);
            case DEVICE_CLASS -> {
                if (isOfOthers(before) || isOfOthers(after)) {
                    state.rowsFrom("item/").values().stream()
                            .map(Row.ItemRow.class::cast)
                            .forEach(row -> change.touched.add(row.item())); // what was left to others may be ours now
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

    /** A claim that this pod used can be deallocated for another pod now. */
    private static boolean leavesItsClaims(Pod before, Optional<Pod> after) {
        return !before.finished()
                && (isGone(before, after) || after.orElseThrow().finished());
    }

    /** What was rejected for the pod as it was may be decided again. */
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

    /** A kubelet says that a pod has finished before it lets it go; one that goes without goes by force, and may run for a while. */
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

    /** Somebody who has the devices of a claim may run on, though he will not be told any more. */
    private void coolDown(ResourceClaim claim) {
        Duration time = state.settings().coolDown();
        if (time.isPositive()) {
            claim.allocation()
                    .ifPresent(allocation -> change.put(new Row.CoolRow(
                            claim.key(), claim.meta().uid(), withRest(allocation, claim), at.plus(time))));
        }
    }

    /** With what still cools down of the claim from before. */
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

    /** Whether a rejected deallocation may be decided again; until it is rejected, the writer itself changes the claim. */
    private static boolean isChangedSince(Row.DeallocationRow row, long version) {
        return !row.isOrdered() && version > row.claimVersion();
    }

    /**
     * What we gave is cleared, and nobody ordered that. Where a pod that was to use it is still to be bound, kube-scheduler found no place for
     * it there; or the writer has cleared it, which it says by the version.
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

    /** Whether a pod may use it, as far as is known: word of the pod can be later than word of the claim. */
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

    /** The status of a claim is immutable while it is set: who wrote it first has decided, and what we gave is void. */
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

    /** What the list did not show is gone; what was gone before needs no memory any more. */
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
                state.paid().all().forEach(row -> change.drop(row.key())); // another engine may answer otherwise
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
