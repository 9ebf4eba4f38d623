package dev.claimstream.allocation.cell;

import dev.claimstream.dra.ClusterObject;
import dev.claimstream.dra.DeviceClass;
import dev.claimstream.dra.ResourceClaim;
import java.util.Optional;

/**
 * An object as last observed, with the rules for accepting further records.
 *
 * <p>Records arrive late and repeated, and relists repeat known objects. Every component that follows these rules ends
 * with the same objects.
 *
 * @param content absent after a deletion
 */
public record ObservedObject(Stamp stamp, Optional<ClusterObject> content) {
    /** Whether the object must be replaced by this upsert. An existing object belongs to its source. */
    public boolean isUpdatedBy(Observation.ObjectUpserted upsert) {
        return isSameSource(upsert.stamp())
                ? upsert.stamp().version() > stamp.version() || hasManagerChanged(upsert) || isReread(upsert)
                : content.isEmpty();
    }

    /**
     * Whether a later list has another state of the object, although its version is not higher.
     *
     * <p>The cluster was restored from a backup, or the watcher leaves out other parts of objects than before: opaque
     * parameters and annotations, by its settings and its release.
     */
    private boolean isReread(Observation.ObjectUpserted upsert) {
        return upsert.stamp().isRestoredSince(stamp)
                && (upsert.stamp().version() < stamp.version() || !content.equals(Optional.of(upsert.object())));
    }

    /**
     * Whether the object has an earlier state again, because the cluster was restored from a backup.
     *
     * <p>A restored cluster uses versions again, so an equal version may stand for another state. But what the watcher
     * leaves out is no sign of a restore: an equal version needs another status of a claim, or another object.
     */
    boolean isRestoredBy(Observation.ObjectUpserted upsert) {
        return upsert.stamp().isRestoredSince(stamp)
                && (upsert.stamp().version() < stamp.version() || !hasStatusOf(upsert.object()));
    }

    private boolean hasStatusOf(ClusterObject now) {
        if (content.filter(before -> before.meta().uid().equals(now.meta().uid()))
                .isEmpty()) {
            return false;
        }
        if (now instanceof ResourceClaim claim && content.get() instanceof ResourceClaim before) {
            return claim.reservedFor().equals(before.reservedFor())
                    && claim.allocation()
                            .map(ClaimDevices::devicesOf)
                            .equals(before.allocation().map(ClaimDevices::devicesOf));
        }
        return true;
    }

    /**
     * Whether a class became managed or unmanaged. That is configured outside of the object, so its version stays and
     * the later list counts.
     */
    private boolean hasManagerChanged(Observation.ObjectUpserted upsert) {
        return upsert.stamp().version() == stamp.version()
                && upsert.stamp().epoch() > stamp.epoch()
                && upsert.object() instanceof DeviceClass now
                && content.orElse(null) instanceof DeviceClass before
                && now.allocator() != before.allocator();
    }

    /**
     * Whether the object is deleted by this. The version decides, not the UID: an earlier object of the name is deleted
     * as well.
     */
    public boolean isDeletedBy(Observation.ObjectDeleted deletion) {
        return isSameSource(deletion.stamp())
                && (deletion.stamp().version() > stamp.version()
                        || deletion.stamp().isRestoredSince(stamp));
    }

    /** Why a record is ignored; absent for a mere repetition. */
    public Optional<IgnoredObservation.IgnoredReason> ignoredReason(Stamp word) {
        if (isSameSource(word)) {
            return word.version() < stamp.version()
                    ? Optional.of(IgnoredObservation.IgnoredReason.STALE)
                    : Optional.empty();
        }
        return content.isPresent() ? Optional.of(IgnoredObservation.IgnoredReason.FOREIGN) : Optional.empty();
    }

    /**
     * The same object, confirmed by a later list, so that the end of that list does not delete it. The content stays.
     */
    public ObservedObject confirmedBy(Stamp list) {
        return isSameSource(list) && list.epoch() > stamp.epoch()
                ? new ObservedObject(new Stamp(stamp.source(), list.epoch(), stamp.version(), list.timing()), content)
                : this;
    }

    /**
     * The stamp of an accepted record.
     *
     * <p>It keeps the highest epoch, so that an earlier record does not undo the confirmation by a later list. The
     * timing is that of the highest epoch.
     */
    public Stamp mergedStamp(Stamp accepted) {
        return isSameSource(accepted) && stamp.epoch() > accepted.epoch()
                ? new Stamp(accepted.source(), stamp.epoch(), accepted.version(), stamp.timing())
                : accepted.forRow();
    }

    private boolean isSameSource(Stamp other) {
        return other.source().equals(stamp.source());
    }
}
