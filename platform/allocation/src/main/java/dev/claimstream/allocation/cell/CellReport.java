package dev.claimstream.allocation.cell;

import java.util.List;

/** A report of a cell to the router. Only several cells send it. */
public sealed interface CellReport {
    /**
     * All claims of an item are allocated.
     *
     * @param attempt number of the lease
     * @param number highest decision number of the cell
     * @param claims UIDs of the claims that this cell allocated
     */
    record ItemAllocated(ItemId item, long attempt, long number, List<String> claims) implements CellReport {
        public ItemAllocated {
            claims = List.copyOf(claims);
        }
    }

    /**
     * An item is returned: it cannot be allocated here now. The cell keeps it queued and offers it when it fits.
     *
     * @param deallocatable UIDs of its claims whose allocations nothing but its pod may use, as far as this cell knows
     */
    record ItemReturned(
            ItemId item,
            long attempt,
            long number,
            Explanation.ExplanationDetail.Pending pending,
            List<String> deallocatable)
            implements CellReport {
        public ItemReturned {
            deallocatable = List.copyOf(deallocatable);
        }
    }

    /**
     * An item is returned: it fits here if these claims are deallocated.
     *
     * @param decisions the deallocations; the router gives them their numbers
     */
    record DeallocationProposed(ItemId item, long attempt, long number, List<Decision> decisions)
            implements CellReport {
        public DeallocationProposed {
            decisions = List.copyOf(decisions);
        }
    }

    /** The leased item was deleted or replaced. */
    record ItemDeleted(ItemId item, long attempt) implements CellReport {}

    /** The reason of a returned item has changed. */
    record ReasonChanged(ItemId item, Explanation.ExplanationDetail.Pending pending) implements CellReport {}

    /**
     * A returned item fits now.
     *
     * @param deallocates whether it fits only if claims are deallocated
     */
    record OfferMade(ItemId item, boolean deallocates) implements CellReport {}

    /** The devices that this cell allocated to a claim are free. */
    record ClaimReleased(String claimUid) implements CellReport {}

    /** The cell has processed everything before a probe. */
    record ProbeEcho(String probe) implements CellReport {}

    /**
     * A node with its slices and liveness has left this cell.
     *
     * @param content the last observations of these objects
     */
    record NodeTransferred(String node, long transfer, List<Observation> content) implements CellReport {
        public NodeTransferred {
            content = List.copyOf(content);
        }
    }

    /** A node stays in this cell: some of its devices are allocated, or other nodes reach them. */
    record NodeRetained(String node, long transfer) implements CellReport {}
}
