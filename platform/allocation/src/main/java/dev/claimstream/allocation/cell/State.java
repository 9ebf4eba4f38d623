package dev.claimstream.allocation.cell;

import dev.claimstream.allocation.inventory.DeviceInventory;
import dev.claimstream.allocation.solver.AllocationPlanner;
import dev.claimstream.dra.Device;
import dev.claimstream.dra.DeviceClass;
import dev.claimstream.dra.DeviceId;
import dev.claimstream.dra.DeviceResult;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.PoolId;
import dev.claimstream.dra.Selectors;
import java.time.Instant;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;

/**
 * The state of a cell: its rows and every index that is derived from them.
 *
 * <p>{@link #apply} is the only mutator. A running cell and a rebuilt cell use the same path, so equal rows give equal
 * states. Not thread-safe: one thread per cell.
 */
public final class State extends ObservedState {
    private final CellIdentity identity;
    private final CellCoordination coordination;
    private final DeviceInventory inventory = new DeviceInventory();
    private final AllocationPlanner planner;
    private final ClaimDevices claimDevices = new ClaimDevices(table(), inventory);
    private final Deadlines deadlines = new Deadlines();
    private final SchedulingQueue queue = new SchedulingQueue();
    private final ItemIndex items = new ItemIndex();
    private final ChargedWorkCache chargedWork;
    private final PodAffinityIndex podAffinity = new PodAffinityIndex(this);
    private final NodeResourceUsage nodeUsage = new NodeResourceUsage(this, inventory);
    private final EquivalenceInvalidator equivalences = new EquivalenceInvalidator(this, queue);
    private Optional<Trial> trial = Optional.empty();

    public State(Selectors selectors) {
        this(selectors, CellIdentity.SINGLE);
    }

    public State(Selectors selectors, CellIdentity identity) {
        this.planner = new AllocationPlanner(inventory, selectors);
        this.chargedWork = new ChargedWorkCache(planner.evaluationCache());
        this.identity = identity;
        this.coordination = CellCoordination.of(this, identity);
        inventory.usages().setStates(holder -> HolderState.of(this, holder));
        // claims before the devices that they have, classes before the planner that evaluates them
        register(List.<RowIndex>of(
                new PlannerInputs(classIndex(), inventory, planner),
                new ActiveSliceIndex(table(), inventory),
                new NodeIndex(inventory),
                claimDevices,
                deadlines,
                queue,
                items,
                chargedWork));
    }

    /** Builds the state of a single cell from rows. */
    public static State of(Selectors selectors, Iterable<Row> rows) {
        return of(selectors, CellIdentity.SINGLE, rows);
    }

    /** Builds the state of a cell from rows. */
    public static State of(Selectors selectors, CellIdentity identity, Iterable<Row> rows) {
        var state = new State(selectors, identity);
        rows.forEach(row -> state.apply(new Fact.Put(row)));
        return state;
    }

    /**
     * Applies a fact: stores or deletes its row and updates all indexes.
     *
     * <p>Node resources and equivalence classes depend on several rows, so they follow the other indexes.
     */
    public void apply(Fact fact) {
        Optional<Row> before = store(fact);
        trial.ifPresent(open -> open.record(fact.key(), before));
        Optional<Row> after = fact instanceof Fact.Put put ? Optional.of(put.row()) : Optional.empty();
        nodeUsage.update(before, after);
        before.ifPresent(equivalences::invalidate);
        after.ifPresent(equivalences::invalidate);
    }

    /**
     * Opens a trial, which records the replaced rows, or ends it.
     *
     * @throws IllegalStateException if a trial is open and another one begins
     */
    void recordInto(Optional<Trial> other) {
        if (trial.isPresent() && other.isPresent()) {
            throw new IllegalStateException("a trial of this cell is open: close it first");
        }
        trial = other;
    }

    /** The identity of this cell among all cells. */
    public CellIdentity identity() {
        return identity;
    }

    @Override
    CellCoordination coordination() {
        return coordination;
    }

    // ---- devices
    // ----------------------------------------------------------------------------------------------------------

    /** The index of nodes, pools, devices and their allocations. */
    public DeviceInventory inventory() {
        return inventory;
    }

    AllocationPlanner planner() {
        return planner;
    }

    /** The managed classes by name. Every change creates a new map. */
    public SortedMap<String, DeviceClass> classes() {
        return planner.classes();
    }

    /** The names of the managed classes whose selectors match a device. */
    public List<String> classesOf(String driver, Device device) {
        return planner.classesOf(driver, device);
    }

    /** The approximate number of free devices; never negative. An allocated share counts as a whole device. */
    public long freeDevices() {
        return Math.max(0, inventory.slices().devices() - claimDevices.count());
    }

    @Override
    boolean isPublished(DeviceId device) {
        return inventory.slices().published(device).isPresent();
    }

    /** The devices of every claim or quarantine, by holder; an unmodifiable view. */
    Map<String, List<DeviceResult>> devicesByHolder() {
        return claimDevices.byHolder();
    }

    /** The allocations that this cell decided and that are not released; a view. */
    public Collection<ClaimRow.AllocationRow> decidedAllocations() {
        return Collections.unmodifiableCollection(rows(ClaimRow.AllocationRow.ALL));
    }

    /** The active alarms of allocated devices. */
    public List<Alarm> alarms() {
        return rows(Row.AlarmRow.ALL).stream().map(Row.AlarmRow::alarm).toList();
    }

    /** Whether a pool has no slice although all sources of slices have synced. */
    public boolean isPoolDeleted(PoolId pool) {
        return isSynced()
                && settings().sources().containsKey(Kind.RESOURCE_SLICE)
                && !inventory.slices().isKnown(pool);
    }

    // ---- node resources
    // ---------------------------------------------------------------------------------------------------

    /** The node resources that pods use. */
    NodeResourceUsage nodeUsage() {
        return nodeUsage;
    }

    /** The index for inter-pod affinity, anti-affinity, topology spread and host ports. */
    PodAffinityIndex podAffinity() {
        return podAffinity;
    }

    // ---- items
    // ------------------------------------------------------------------------------------------------------------

    /** The row of a work item. */
    public Optional<SchedulingRow.ItemRow> item(ItemId item) {
        return row(SchedulingRow.ItemRow.key(item));
    }

    /** Pending items in queue order. */
    public SortedMap<Rank, ItemId> pending() {
        return queue.all();
    }

    SchedulingQueue queue() {
        return queue;
    }

    /** Earmarked nodes, each with the rank of the item that it is reserved for. */
    public SortedMap<String, Rank> earmarks() {
        return items.earmarks();
    }

    /** Whether a claim is still allocated by a decision for this item. The item itself may be deleted. */
    boolean hasAllocationFor(ItemId item) {
        return items.hasAllocation(item);
    }

    /** The lease of an item from the router; absent in a single cell. */
    Optional<SchedulingRow.LeaseRow> lease(ItemId item) {
        return row(SchedulingRow.LeaseRow.key(item));
    }

    /** Whether an item was returned to the router and stays here only to be offered when it fits. */
    public boolean isReturned(ItemId item) {
        return lease(item).filter(lease -> !lease.isActive()).isPresent();
    }

    /** Items for which an offer to the router is open. */
    SortedSet<ItemId> offeredItems() {
        return items.offered();
    }

    /** Creates a counter of unallocated claims. The state must not change while it is in use. */
    public UnallocatedClaimCounter unallocated() {
        return new UnallocatedClaimCounter(this, claim -> allocation(claim).isPresent());
    }

    // ---- deadlines
    // --------------------------------------------------------------------------------------------------------

    /**
     * The rows that expire at this time and need no further work. A {@link SchedulingRow.RefreshRow} is excluded: a
     * tick continues it.
     */
    List<Row> expiredAt(Instant now) {
        return deadlines.until(now).stream()
                .flatMap(key -> Optional.ofNullable(rows().get(key)).stream())
                .filter(row -> !(row instanceof SchedulingRow.RefreshRow))
                .toList();
    }

    /** The next time at which a row expires. */
    public Optional<Instant> deadline() {
        return deadlines.first();
    }

    // ---- work budget
    // ------------------------------------------------------------------------------------------------------

    /** The cache of evaluation answers, shape indexes and preparations. */
    ChargedWorkCache chargedWork() {
        return chargedWork;
    }

    /** The unfinished work of an item. */
    Optional<WorkBudgetRow.WorkRow> work(ItemId item) {
        return row(WorkBudgetRow.WorkRow.key(item));
    }

    /** Items with unfinished work, by namespace and in queue order. */
    SortedMap<String, SortedMap<Rank, ItemId>> unfinished() {
        return items.unfinished();
    }

    /** The state of the work budget. The reserve is full before the first input. */
    WorkBudgetRow.BudgetRow budget() {
        return row(WorkBudgetRow.BudgetRow.KEY)
                .orElseGet(() -> WorkBudgetRow.BudgetRow.full(settings().work()));
    }

    /**
     * Whether work is unfinished that no object change resumes. If so, the caller appends {@link Observation.WorkSliceDue}.
     */
    public boolean hasUnfinishedWork() {
        return !unfinished().isEmpty() || hasBacklog();
    }

    /** Whether a pass over pending items is unfinished. */
    public boolean hasBacklog() {
        return row(SchedulingRow.BacklogRow.KEY).isPresent();
    }

    /** The number of the next work slice. */
    public long nextSlice() {
        return budget().slices();
    }

    /** Rebuilds the cached shape indexes of pending items. Call it after a start, before the first input. */
    public void restoreIndexes() {
        for (ItemId item : List.copyOf(queue.all().values())) {
            if (WorkItemAssembly.of(this, item) instanceof WorkItemAssembly.Ready ready
                    && !ready.isFullyReserved(this)) {
                planner.restore(ready.shape(), chargedWork);
            }
        }
    }
}
