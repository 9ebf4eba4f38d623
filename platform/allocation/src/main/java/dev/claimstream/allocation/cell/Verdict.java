package dev.claimstream.allocation.cell;

import java.util.List;

/** What one of several cells says to the router. */
public sealed interface Verdict {
    /**
     * An item has everything.
     *
     * @param attempt that the item was lent for
     * @param number the highest number of a decision so far
     * @param claims uids of the claims that this cell gave something to
     */
    record Served(ItemId item, long attempt, long number, List<String> claims) implements Verdict {
        public Served {
            claims = List.copyOf(claims);
        }
    }

    /** An item cannot be served here now. The cell goes on looking out for it. */
    record GivenBack(ItemId item, long attempt, long number, Explanation.Because.Waits because) implements Verdict {}

    /** The item that was lent is gone, or is not what it was. */
    record Dropped(ItemId item, long attempt) implements Verdict {}

    /** An item that was given back waits for another reason now. */
    record Reasoned(ItemId item, Explanation.Because.Waits because) implements Verdict {}

    /** An item that was given back would fit now. */
    record WouldFit(ItemId item) implements Verdict {}

    /** What this cell gave to a claim is free again. */
    record Freed(String claimUid) implements Verdict {}

    /** Everything before a probe is looked at. */
    record Echo(String probe) implements Verdict {}

    /** A node and what belongs to it alone is not in this cell any more. */
    record Handed(String node, long transfer, List<Observation> content) implements Verdict {
        public Handed {
            content = List.copyOf(content);
        }
    }

    /** A node stays: some of its devices are held, or others reach them. */
    record Kept(String node, long transfer) implements Verdict {}
}
