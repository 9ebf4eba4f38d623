package dev.claimstream.allocation.cell;

import dev.claimstream.dra.ClusterObject;
import dev.claimstream.dra.DeviceClass;
import java.util.Optional;

/**
 * What is known of an object, and what more can be news of it. Records come late and twice, and lists show what was told before: whoever
 * keeps objects by these rules keeps the same ones.
 *
 * @param content absent where the object is gone
 */
public record Known(Stamp stamp, Optional<ClusterObject> content) {
    /** Whether this is what the object is like from now on. An object is its source's as long as it stands. */
    public boolean isNews(Observation.Seen seen) {
        return isSame(seen.stamp())
                ? seen.stamp().version() > stamp.version() || hasChangedHands(seen)
                : content.isEmpty();
    }

    /** Whose business a class is, is said elsewhere than in the object, whose version stays: the later list knows. */
    private boolean hasChangedHands(Observation.Seen seen) {
        return seen.stamp().version() == stamp.version()
                && seen.stamp().epoch() > stamp.epoch()
                && seen.object() instanceof DeviceClass now
                && content.orElse(null) instanceof DeviceClass before
                && now.givenBy() != before.givenBy();
    }

    /** Whether the object ends by this. Whatever stood in its place before is gone as well: versions decide, not identities. */
    public boolean isEnd(Observation.Gone gone) {
        return isSame(gone.stamp()) && gone.stamp().version() > stamp.version();
    }

    /** Why such word is no news, where it does not only repeat what is known. */
    public Optional<Ignored.Why> whyIgnored(Stamp word) {
        if (isSame(word)) {
            return word.version() < stamp.version() ? Optional.of(Ignored.Why.STALE) : Optional.empty();
        }
        return content.isPresent() ? Optional.of(Ignored.Why.FOREIGN) : Optional.empty();
    }

    /** The same, where a later list shows it, perhaps as it was earlier: it stands as it is known, and that list does not sweep it. */
    public Known shownAgain(Stamp by) {
        return isSame(by) && by.epoch() > stamp.epoch()
                ? new Known(new Stamp(stamp.source(), by.epoch(), stamp.version(), by.timing()), content)
                : this;
    }

    /**
     * The stamp of what is news: that from before a list that has shown the object already does not take that back. The timing is that of
     * the highest epoch, in whatever order the words come.
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
