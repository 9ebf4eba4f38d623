package dev.claimstream.allocation.cell;

import dev.claimstream.dra.ClusterObject;
import dev.claimstream.dra.DeviceClass;
import java.util.Optional;

/**
 * An object as last observed, with the rules for accepting further records.
 *
 * <p>Records arrive late and repeated, and relists repeat known objects. Every component that follows these rules ends
 * with the same objects.
 *
 * @param content absent after a deletion
 */
public record Known(Stamp stamp, Optional<ClusterObject> content) {
    /** Whether the object must be replaced by this upsert. An existing object belongs to its source. */
    public boolean isNews(Observation.Seen seen) {
        return isSame(seen.stamp())
                ? seen.stamp().version() > stamp.version() || hasChangedHands(seen)
                : content.isEmpty();
    }

    /**
     * Whether a class became managed or unmanaged. That is configured outside of the object, so its version stays and
     * the later list counts.
     */
    private boolean hasChangedHands(Observation.Seen seen) {
        return seen.stamp().version() == stamp.version()
                && seen.stamp().epoch() > stamp.epoch()
                && seen.object() instanceof DeviceClass now
                && content.orElse(null) instanceof DeviceClass before
                && now.givenBy() != before.givenBy();
    }

    /**
     * Whether the object is deleted by this. The version decides, not the UID: an earlier object of the name is deleted
     * as well.
     */
    public boolean isEnd(Observation.Gone gone) {
        return isSame(gone.stamp()) && gone.stamp().version() > stamp.version();
    }

    /** Why a record is ignored; absent for a mere repetition. */
    public Optional<Ignored.Why> whyIgnored(Stamp word) {
        if (isSame(word)) {
            return word.version() < stamp.version() ? Optional.of(Ignored.Why.STALE) : Optional.empty();
        }
        return content.isPresent() ? Optional.of(Ignored.Why.FOREIGN) : Optional.empty();
    }

    /**
     * The same object, confirmed by a later list, so that the end of that list does not delete it. The content stays.
     */
    public Known shownAgain(Stamp by) {
        return isSame(by) && by.epoch() > stamp.epoch()
                ? new Known(new Stamp(stamp.source(), by.epoch(), stamp.version(), by.timing()), content)
                : this;
    }

    /**
     * The stamp of an accepted record.
     *
     * <p>It keeps the highest epoch, so that an earlier record does not undo the confirmation by a later list. The
     * timing is that of the highest epoch.
     */
    public Stamp shownBy(Stamp news) {
        return isSame(news) && stamp.epoch() > news.epoch()
                ? new Stamp(news.source(), stamp.epoch(), news.version(), stamp.timing())
                : news;
    }

    private boolean isSame(Stamp other) {
        return other.source().equals(stamp.source());
    }
}
