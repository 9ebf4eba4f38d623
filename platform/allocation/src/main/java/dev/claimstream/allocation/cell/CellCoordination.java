package dev.claimstream.allocation.cell;

import dev.claimstream.allocation.inventory.DeviceUsage;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What differs between the only cell of a cluster and one of several cells.
 *
 * <p>A {@link SingleCell} decides every item and explains it. A {@link RoutedCell} decides an item only while the router
 * leases it, and reports to the router, which explains it. While a search continues in slices, the cell may keep the
 * lease, and explains the item.
 */
sealed interface CellCoordination permits SingleCell, RoutedCell {
    static CellCoordination of(State state, CellIdentity identity) {
        return identity.isSingleCell() ? SingleCell.INSTANCE : new RoutedCell(state, identity);
    }

    // ---- scope of the cell

    /** Whether the cell observes every node and decides every item. Rules that concern several pods need that. */
    boolean observesWholeCluster();

    /** Whether a deleted pool with these holders belonged to this cell. */
    boolean ownsDeletedPool(List<DeviceUsage.UsageEntry> holders);

    /** Whether a commit outcome may be for a decision of another cell. */
    boolean mayBeOfOtherCell(Observation.CommitOutcome outcome);

    /** The next decision number after this one. */
    long nextDecision(long number);

    // ---- items

    /** Whether this cell is to decide the item. */
    boolean isAssigned(ItemId item, String uid);

    /** Whether an offer of the item to the router is open. Until its answer the item is not attempted. */
    boolean isOffered(ItemId item);

    /** Whether the router waits for a report on the item, even if its reason stays. */
    boolean isReportDue(SchedulingRow.ItemRow row);

    /** Whether the router knows that the work for a leased item continues in slices. No slice needs another report. */
    boolean isReportedUnfinished(SchedulingRow.ItemRow row);

    /** The result of a pending item if there is a router; empty if this cell decides that the item is pending. */
    Optional<ItemResult> reportPending(
            SchedulingRow.ItemRow row, Explanation.ExplanationDetail.Pending detail, long steps);

    /** The result of an item that fits, if it must be offered to the router first. */
    Optional<ItemResult> offer(SchedulingRow.ItemRow row, long steps);

    /** Whether the devices of a claim of the item may count as free, if the item fits nowhere without that. */
    boolean mayDeallocate(ItemId item, String claimUid);

    /**
     * The result of an item that fits if its claims are deallocated, if the router decides that.
     *
     * @param decisions the deallocations, without numbers
     * @param unplaced the result without a deallocation
     */
    Optional<ItemResult> proposeDeallocation(
            SchedulingRow.ItemRow row, List<Decision> decisions, Supplier<ItemResult> unplaced);

    /**
     * Whether the cell must check that the node of allocated claims admits their unbound pod. If not, another cell does.
     */
    boolean checksNode(ItemId item, WorkItemAssembly.Ready ready);

    /** The result of an item whose claims are allocated, if another cell has allocated them. */
    Optional<ItemResult> endReturned(SchedulingRow.ItemRow row);

    Optional<Output> reportAllocated(ItemId item, long number, List<String> claims);

    /** The result of a deleted item, besides its row. */
    ItemResult endDeleted(ItemId item);

    /** Whether an open offer ends with this fact. Then another offer may take its place. */
    boolean endsOffer(@Nullable Row before, Fact fact);

    // ---- commands of the router

    /** Leases an item to this cell. */
    void assign(Observation.ItemAssigned assigned, StateChange change);

    /** Ends an offer that the router declined. */
    void decline(Observation.OfferDeclined declined, StateChange change);

    /** Moves a node to another cell. */
    void transferNode(Observation.NodeHandover handover, StateChange change);

    // ---- outputs

    /** Outputs after the deletion of a claim. */
    List<Output> claimDeleted(String claimUid);

    /** Outputs after the release of an allocation, besides its decision. */
    List<Output> allocationReleased(String claimUid);

    /** Outputs after the deletion of items that have no explanation any more. */
    List<Output> itemsDeleted(Collection<ItemId> items);

    /** Outputs after a complete pass over the texts. */
    List<Output> textsRefreshed(Instant beganAt, List<ItemId> except);

    /** The answer to a complete probe. */
    Output probeAnswer(String probe, int allocated, int pending);

    boolean reportsIgnored(Observation observation);
}
