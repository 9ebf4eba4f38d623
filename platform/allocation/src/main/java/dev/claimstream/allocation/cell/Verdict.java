package dev.claimstream.allocation.cell;

import java.util.List;

/** A report of a cell to the router. Only several cells send it. */
public sealed interface Verdict {
    /**
     * All claims of an item are allocated.
     *
     * @param attempt number of the lease
     * @param number highest decision number of the cell
     * @param claims UIDs of the claims that this cell allocated
     */
    record Served(ItemId item, long attempt, long number, List<String> claims) implements Verdict {
        public Served {
            claims = List.copyOf(claims);
        }
    }

    /** An item is returned: it cannot be allocated here now. The cell keeps it queued and offers it when it fits. */
    record GivenBack(ItemId item, long attempt, long number, Explanation.Because.Waits because) implements Verdict {}

    /** The leased item was deleted or replaced. */
    record Dropped(ItemId item, long attempt) implements Verdict {}

    /** The reason of a returned item has changed. */
    record Reasoned(ItemId item, Explanation.Because.Waits because) implements Verdict {}

    /** A returned item fits now. */
    record WouldFit(ItemId item) implements Verdict {}

    /** The devices that this cell allocated to a claim are free. */
    record Freed(String claimUid) implements Verdict {}

    /** The cell has processed everything before a probe. */
    record Echo(String probe) implements Verdict {}

    /**
     * A node with its slices and liveness has left this cell.
     *
     * @param content the last observations of these objects
     */
    record Handed(String node, long transfer, List<Observation> content) implements Verdict {
        public Handed {
            content = List.copyOf(content);
        }
    }

    /** A node stays in this cell: some of its devices are allocated, or other nodes reach them. */
    record Kept(String node, long transfer) implements Verdict {}
}
