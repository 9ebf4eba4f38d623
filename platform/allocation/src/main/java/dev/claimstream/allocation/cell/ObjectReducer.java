package dev.claimstream.allocation.cell;

import dev.claimstream.dra.ClusterObject;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.ResourceClaim;
import java.time.Instant;
import java.util.Optional;

/** Accepts upserts and deletions of objects, and ignores stale and foreign ones. */
final class ObjectReducer {
    private final ObservedState state;
    private final StateChange change;
    private final ObjectEffects effects;

    /** @param at time of the observation */
    ObjectReducer(ObservedState state, StateChange change, Instant at) {
        this.state = state;
        this.change = change;
        this.effects = new ObjectEffects(state, change, at);
    }

    /** Stores a newer object. A repetition only confirms the known one. */
    void upsert(Observation.ObjectUpserted upsert) {
        ClusterObject object = upsert.object();
        if (hasUidOfOtherClaim(object)) {
            change.ignored = Optional.of(IgnoredObservation.IgnoredReason.FOREIGN);
            return;
        }
        Optional<ObservedRow.ObjectRow> known = state.object(object.kind(), object.key());
        if (known.isEmpty() ? isStale(upsert.stamp(), object.kind()) : !isUpdated(known.get(), upsert)) {
            known.ifPresent(row -> confirm(row, upsert.stamp()));
            change.ignored = ignoredReason(known, upsert.stamp());
            return;
        }
        Stamp stamp = mergedStamp(upsert.stamp(), known);
        change.put(new ObservedRow.ObjectRow(
                object.kind(), object.key(), object.meta().uid(), stamp, Optional.of(object)));
        Optional<ClusterObject> before = known.flatMap(ObservedRow.ObjectRow::content);
        if (known.filter(row -> row.known().isRestoredBy(upsert)).isPresent()) {
            effects.applyRestored(object.kind(), object.key(), before, object, stamp.version());
        } else {
            effects.apply(object.kind(), object.key(), before, Optional.of(object), stamp.version());
        }
        boolean wasFree = before.filter(each -> each instanceof ResourceClaim claim
                        && claim.allocation().isPresent())
                .isEmpty();
        if (wasFree
                && object instanceof ResourceClaim claim
                && claim.allocation().isEmpty()) {
            repeatDecision(claim, stamp.version());
        }
    }

    /**
     * Whether a known object must be replaced. A record that a complete list supersedes is from before a restore of
     * the cluster: otherwise the list contained the object with this version or a higher one.
     */
    private boolean isUpdated(ObservedRow.ObjectRow known, Observation.ObjectUpserted upsert) {
        return known.known().isUpdatedBy(upsert) && !isSuperseded(known, upsert.stamp());
    }

    private boolean isSuperseded(ObservedRow.ObjectRow known, Stamp stamp) {
        return known.stamp().source().equals(stamp.source()) && isStale(stamp, known.kind());
    }

    /**
     * Repeats an unconfirmed decision for the new version of a claim, because the writer commits only to the decided
     * version.
     */
    private void repeatDecision(ResourceClaim claim, long version) {
        state.decidedAllocation(claim.meta().uid())
                .filter(decided -> decided.commitState() == ClaimRow.AllocationRow.CommitState.DECIDED
                        && decided.claimVersion() != version)
                .ifPresent(decided -> {
                    Row.CountRow count = state.count();
                    long number = state.coordination().nextDecision(count.decisions());
                    ClaimRow.AllocationRow repeated =
                            decided.withDecision(number, ClaimReservations.of(state, claim), version);
                    change.put(count.withDecisions(number));
                    change.put(repeated);
                    change.outputs.add(new Output.DecisionMade(new Decision(
                            repeated.claim(), repeated.claimUid(), number, repeated.item(), repeated.result())));
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
     * Whether a record is older than a complete list, which contains the last state of every object up to its version.
     *
     * <p>Records newer than the list are valid, even from a process that listed earlier and still watches.
     */
    private boolean isStale(Stamp stamp, Kind kind) {
        return state.row(ObservedRow.SourceRow.key(kind, stamp.source()))
                .filter(row -> row.last().supersedes(stamp))
                .isPresent();
    }

    private Optional<IgnoredObservation.IgnoredReason> ignoredReason(
            Optional<ObservedRow.ObjectRow> known, Stamp stamp) {
        boolean isLate = known.filter(row -> !isSuperseded(row, stamp) || isRepetition(row, stamp))
                .isEmpty();
        return isLate
                ? Optional.of(IgnoredObservation.IgnoredReason.STALE)
                : known.get().known().ignoredReason(stamp);
    }

    private static boolean isRepetition(ObservedRow.ObjectRow known, Stamp stamp) {
        return stamp.version() == known.stamp().version();
    }

    private static Stamp mergedStamp(Stamp accepted, Optional<ObservedRow.ObjectRow> known) {
        return known.map(row -> row.known().mergedStamp(accepted)).orElseGet(accepted::forRow);
    }

    private void confirm(ObservedRow.ObjectRow row, Stamp list) {
        Stamp confirmed = row.known().confirmedBy(list).stamp();
        if (!confirmed.equals(row.stamp())) {
            change.put(row.withStamp(confirmed));
        }
        if (row.kind() == Kind.RESOURCE_CLAIM
                && confirmed.timing() != row.stamp().timing()) {
            change.touchUsersOf(row.object(), state); // the timing rule of its source has changed
        }
    }

    /** Replaces an object by a tombstone, which stays until the next complete list. */
    void delete(Observation.ObjectDeleted deletion) {
        Optional<ObservedRow.ObjectRow> known = state.object(deletion.kind(), deletion.key());
        if (known.isEmpty()
                ? isStale(deletion.stamp(), deletion.kind())
                : !known.get().known().isDeletedBy(deletion) || isSuperseded(known.get(), deletion.stamp())) {
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
        effects.apply(
                deletion.kind(),
                deletion.key(),
                known.flatMap(ObservedRow.ObjectRow::content),
                Optional.empty(),
                deletion.stamp().version());
    }
}
