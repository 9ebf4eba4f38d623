package dev.claimstream.allocation.cell;

import dev.claimstream.allocation.inventory.DeviceInventory;
import dev.claimstream.allocation.solver.AllocationPlanner;
import dev.claimstream.dra.Allocation;
import dev.claimstream.dra.ClusterObject;
import dev.claimstream.dra.Device;
import dev.claimstream.dra.DeviceClass;
import dev.claimstream.dra.DeviceId;
import dev.claimstream.dra.DeviceResult;
import dev.claimstream.dra.DeviceTaintRule;
import dev.claimstream.dra.ExtendedResources;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.Namespace;
import dev.claimstream.dra.Node;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.Pod;
import dev.claimstream.dra.PodGroup;
import dev.claimstream.dra.PoolId;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.dra.ResourceClaimTemplate;
import dev.claimstream.dra.ResourceSlice;
import dev.claimstream.dra.Selectors;
import java.time.Instant;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The state of a cell: its rows and every index that is derived from them.
 *
 * <p>{@link #apply} is the only mutator. A running cell and a rebuilt cell use the same path, so equal rows give equal
 * states. Not thread-safe: one thread per cell.
 */
public final class State {
    private final SortedMap<String, Row> rows = new TreeMap<>();
    private final DeviceInventory inventory = new DeviceInventory();
    private final AllocationPlanner planner;
    private final SortedMap<String, DeviceClass> classes = new TreeMap<>();
    private final SortedSet<String> unmanagedClasses = new TreeSet<>();
    private final Map<String, ObjectKey> claimKeys = new LinkedHashMap<>();
    private final Map<String, List<DeviceResult>> allocatedByUid = new LinkedHashMap<>();
    private long allocatedDevices;
    private final Map<String, Row.QuarantineRow> quarantine = new LinkedHashMap<>();
    private final Deadlines deadlines = new Deadlines();
    private final Map<ObjectKey, SortedSet<ObjectKey>> podsOfClaim = new LinkedHashMap<>();
    private final Map<ObjectKey, SortedSet<ObjectKey>> podsOfGroup = new LinkedHashMap<>();
    private final Map<ObjectKey, SortedSet<ObjectKey>> groupsOfClaim = new LinkedHashMap<>();
    private final SchedulingQueue queue = new SchedulingQueue();
    private final SortedMap<String, Rank> earmarks = new TreeMap<>();
    private final SortedSet<ItemId> offeredItems = new TreeSet<>();
    private final ItemCounts allocationCounts = new ItemCounts();
    private final PoolSources pools = new PoolSources();
    private final PodAffinityIndex podAffinity = new PodAffinityIndex(this);
    private final NodeResourceUsage nodeUsage = new NodeResourceUsage(this, inventory);
    private final EquivalenceInvalidator equivalences = new EquivalenceInvalidator(this, queue);
    private final ChargedWorkCache chargedWork;
    private final SortedMap<String, SortedMap<Rank, ItemId>> unfinished = new TreeMap<>();
    private final CellIdentity identity;
    private CellSettings settings = CellSettings.defaults();

    public State(Selectors selectors) {
        this(selectors, CellIdentity.SINGLE);
    }

    public State(Selectors selectors, CellIdentity identity) {
        this.planner = new AllocationPlanner(inventory, selectors);
        this.chargedWork = new ChargedWorkCache(planner.evaluationCache());
        this.identity = identity;
        inventory.usages().setStates(holder -> HolderState.of(this, holder));
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

    /** Applies a fact: stores or deletes its row and updates all indexes. */
    public void apply(Fact fact) {
        Optional<Row> before = Optional.ofNullable(rows.get(fact.key()));
        switch (fact) {
            case Fact.Put put -> {
                rows.put(put.key(), put.row());
                before.ifPresent(equivalences::invalidate);
                if (!before.filter(row -> isSameObject(row, put.row())).isPresent()) {
                    before.filter(row -> !isExtended(row, put.row())).ifPresent(this::unindex);
                    index(put.row());
                }
                before.ifPresent(this::updatePoolUsage);
                updatePoolUsage(put.row());
                updateUsage(put.row());
                equivalences.invalidate(put.row());
            }
            case Fact.Drop drop -> {
                rows.remove(drop.key());
                before.ifPresent(row -> {
                    equivalences.invalidate(row);
                    unindex(row);
                    updatePoolUsage(row);
                    updateUsage(row);
                });
            }
        }
    }

    /** A relist repeats every object. An upsert with equal content and source needs no index update. */
    private static boolean isSameObject(Row before, Row after) {
        return before instanceof Row.ObjectRow one
                && after instanceof Row.ObjectRow other
                && one.content().isPresent()
                && one.content().equals(other.content())
                && one.stamp().source().equals(other.stamp().source());
    }

    /** New answers are appended to an existing row. The index keeps the answers that it already has. */
    private static boolean isExtended(Row before, Row after) {
        return before instanceof Row.EvaluationRow && after instanceof Row.EvaluationRow;
    }

    private void unindex(Row row) {
        switch (row) {
            case Row.ObjectRow object -> object.content().ifPresent(content -> unindex(object, content));
            case Row.NodeLivenessRow liveness -> inventory.setSilent(liveness.node(), false);
            case Row.ItemRow item -> {
                queue.remove(item);
                item.earmark().ifPresent(node -> earmarks.remove(node, item.rank()));
            }
            case Row.AllocationRow decided -> {
                allocationCounts.remove(decided.item());
                updateAllocation(decided.claimUid(), decided.claim());
            }
            case Row.QuarantineRow cool -> {
                quarantine.remove(cool.claimUid());
                deadlines.remove(cool.until(), cool.key());
                updateAllocation(cool.claimUid(), cool.claim());
            }
            case Row.SettingsRow changed -> configure(CellSettings.defaults());
            case Row.SourceRow source -> {}
            case Row.ProbeRow probe -> {}
            case Row.CountRow count -> {}
            case Row.RefreshRow refresh -> deadlines.remove(refresh.due(), refresh.key());
            case Row.RejectionRow rejection -> {}
            case Row.DeallocationRow deallocation -> {}
            case Row.AvoidedNodeRow avoided -> deadlines.remove(avoided.until(), avoided.key());
            case Row.AlarmRow alarm -> {}
            case Row.LeaseRow lease -> offeredItems.remove(lease.item());
            case Row.EvaluationRow evaluation -> chargedWork.remove(evaluation);
            case Row.IndexRow index -> chargedWork.remove(index);
            case Row.PreparationRow preparation -> chargedWork.remove(preparation);
            case Row.WorkRow work -> {
                String namespace = work.item().key().namespace();
                SortedMap<Rank, ItemId> those = unfinished.getOrDefault(namespace, new TreeMap<>());
                those.remove(work.rank());
                if (those.isEmpty()) {
                    unfinished.remove(namespace);
                }
            }
            case Row.SliceChangesRow _ -> chargedWork.devicesChanged(0);
            case Row.BacklogRow _, Row.BudgetRow _, Row.WorkAlarmRow _ -> {}
        }
    }

    private void index(Row row) {
        switch (row) {
            case Row.ObjectRow object -> object.content().ifPresent(content -> index(object, content));
            case Row.NodeLivenessRow liveness -> inventory.setSilent(liveness.node(), liveness.silent());
            case Row.ItemRow item -> {
                if (item.isPending()) {
                    queue.add(item);
                    item.earmark().ifPresent(node -> earmarks.put(node, item.rank()));
                }
            }
            case Row.AllocationRow decided -> {
                allocationCounts.add(decided.item());
                updateAllocation(decided.claimUid(), decided.claim());
            }
            case Row.QuarantineRow cool -> {
                quarantine.put(cool.claimUid(), cool);
                deadlines.add(cool.until(), cool.key());
                updateAllocation(cool.claimUid(), cool.claim());
            }
            case Row.SettingsRow changed -> configure(changed.settings());
            case Row.SourceRow source -> {}
            case Row.ProbeRow probe -> {}
            case Row.CountRow count -> {}
            case Row.RefreshRow refresh -> deadlines.add(refresh.due(), refresh.key());
            case Row.RejectionRow rejection -> {}
            case Row.DeallocationRow deallocation -> {}
            case Row.AvoidedNodeRow avoided -> deadlines.add(avoided.until(), avoided.key());
            case Row.AlarmRow alarm -> {}
            case Row.LeaseRow lease -> {
                if (lease.isOffered()) {
                    offeredItems.add(lease.item());
                }
            }
            case Row.EvaluationRow evaluation -> chargedWork.add(evaluation);
            case Row.IndexRow index -> chargedWork.add(index);
            case Row.PreparationRow preparation -> chargedWork.add(preparation);
            case Row.WorkRow work ->
                unfinished
                        .computeIfAbsent(work.item().key().namespace(), _ -> new TreeMap<>())
                        .put(work.rank(), work.item());
            case Row.SliceChangesRow slices -> chargedWork.devicesChanged(slices.devices());
            case Row.BacklogRow _, Row.BudgetRow _, Row.WorkAlarmRow _ -> {}
        }
    }

    /**
     * Updates the node resources that pods use. They depend on pods, their items and the allocations of their claims.
     */
    private void updateUsage(Row row) {
        switch (row) {
            case Row.ObjectRow object when object.kind() == Kind.POD -> nodeUsage.update(object.object());
            case Row.ObjectRow object when object.kind() == Kind.NODE -> podAffinity.nodeChanged();
            case Row.ObjectRow object when object.kind() == Kind.NAMESPACE -> podAffinity.namespaceChanged();
            case Row.ObjectRow object
            when object.kind() == Kind.RESOURCE_CLAIM -> podsOf(object.object()).forEach(nodeUsage::update);
            case Row.AllocationRow decided -> podsOf(decided.claim()).forEach(nodeUsage::update);
            case Row.ItemRow item
            when item.item().kind() == ItemId.ItemKind.POD ->
                nodeUsage.update(item.item().key());
            default -> {}
        }
    }

    /** Updates the node resources that the devices of a changed pool use. */
    private void updatePoolUsage(Row row) {
        switch (row) {
            case Row.ObjectRow object
            when object.content().orElse(null) instanceof ResourceSlice slice -> nodeUsage.update(slice.poolId());
            case Row.SettingsRow _ -> nodeUsage.updateAll();
            default -> {}
        }
    }

    private void configure(CellSettings changed) {
        settings = changed;
        inventory.setFeatures(changed.features());
        planner.setFeatures(changed.features());
        pools.configure(changed.sources().getOrDefault(Kind.RESOURCE_SLICE, new TreeSet<>()));
        pools.disputed().forEach(this::republish);
    }

    // ---- slices: only those of the active source of a pool are indexed
    // -------------------------------------------------------------------------

    private void index(ResourceSlice slice, String source) {
        Optional<String> before = pools.of(slice.poolId());
        pools.add(slice.poolId(), source);
        Optional<String> now = pools.of(slice.poolId());
        if (before.isPresent() && !before.equals(now)) {
            republish(slice.poolId());
        } else if (now.equals(Optional.of(source))) {
            inventory.put(slice);
        }
    }

    private void unindex(ResourceSlice slice, String source) {
        Optional<String> before = pools.of(slice.poolId());
        pools.remove(slice.poolId(), source);
        Optional<String> now = pools.of(slice.poolId());
        if (now.isPresent() && !before.equals(now)) {
            republish(slice.poolId());
        } else if (before.equals(Optional.of(source))) {
            inventory.remove(slice);
        }
    }

    /**
     * Replaces the slices of a pool by those of its active source. A source change is rare, so a full scan is
     * affordable.
     */
    private void republish(PoolId pool) {
        List.copyOf(inventory
                        .slices()
                        .pools()
                        .getOrDefault(pool, new TreeMap<>())
                        .values())
                .forEach(inventory::remove);
        Optional<String> source = pools.of(pool);
        for (Row row : rowsFrom(Row.ObjectRow.prefix(Kind.RESOURCE_SLICE)).values()) {
            if (row instanceof Row.ObjectRow object
                    && object.content().orElse(null) instanceof ResourceSlice slice
                    && slice.poolId().equals(pool)
                    && source.equals(Optional.of(object.stamp().source()))) {
                inventory.put(slice);
            }
        }
    }

    private void unindex(Row.ObjectRow row, ClusterObject object) {
        switch (object) {
            case ResourceSlice slice -> unindex(slice, row.stamp().source());
            case Node node -> inventory.removeNode(node.meta().name());
            case DeviceTaintRule rule -> inventory.removeTaintRule(rule.meta().name());
            case DeviceClass each -> {
                unmanagedClasses.remove(each.meta().name());
                classes.remove(each.meta().name());
                planner.setClasses(classes);
            }
            case ResourceClaim claim -> {
                claimKeys.remove(claim.meta().uid(), claim.key());
                updateAllocation(claim.meta().uid(), claim.key());
            }
            case Pod pod -> {
                pod.claims().forEach(key -> unlink(podsOfClaim, key, pod.key()));
                groupOf(pod).ifPresent(group -> unlink(podsOfGroup, group, pod.key()));
            }
            case PodGroup group -> group.claims().forEach(key -> unlink(groupsOfClaim, key, group.key()));
            case ResourceClaimTemplate template -> {}
            case Namespace namespace -> {}
        }
    }

    private void index(Row.ObjectRow row, ClusterObject object) {
        switch (object) {
            case ResourceSlice slice -> index(slice, row.stamp().source());
            case Node node -> inventory.put(node);
            case DeviceTaintRule rule -> inventory.put(rule);
            case DeviceClass each -> {
                switch (each.allocator()) {
                    case CLAIMSTREAM -> classes.put(each.meta().name(), each);
                    case OTHERS -> unmanagedClasses.add(each.meta().name());
                }
                planner.setClasses(classes);
            }
            case ResourceClaim claim -> {
                claimKeys.put(claim.meta().uid(), claim.key());
                updateAllocation(claim.meta().uid(), claim.key());
            }
            case Pod pod -> {
                pod.claims().forEach(key -> link(podsOfClaim, key, pod.key()));
                groupOf(pod).ifPresent(group -> link(podsOfGroup, group, pod.key()));
            }
            case PodGroup group -> group.claims().forEach(key -> link(groupsOfClaim, key, group.key()));
            case ResourceClaimTemplate template -> {}
            case Namespace namespace -> {}
        }
    }

    private static void link(Map<ObjectKey, SortedSet<ObjectKey>> index, ObjectKey key, ObjectKey user) {
        index.computeIfAbsent(key, each -> new TreeSet<>()).add(user);
    }

    private static void unlink(Map<ObjectKey, SortedSet<ObjectKey>> index, ObjectKey key, ObjectKey user) {
        SortedSet<ObjectKey> users = index.get(key);
        if (users != null && users.remove(user) && users.isEmpty()) {
            index.remove(key);
        }
    }

    private static Optional<ObjectKey> groupOf(Pod pod) {
        return pod.podGroup().map(name -> new ObjectKey(pod.meta().namespace(), name));
    }

    /**
     * Recomputes the allocated devices of a claim. Its status takes precedence over the cell's own decision. Devices in
     * quarantine are booked under a holder of their own, which cannot use them.
     */
    private void updateAllocation(String uid, ObjectKey key) {
        List<DeviceResult> now = claim(key)
                .filter(claim -> claim.meta().uid().equals(uid))
                .flatMap(ResourceClaim::allocation)
                .or(() -> decidedAllocation(uid).map(Row.AllocationRow::allocation))
                .map(State::allocatedResults)
                .orElse(List.of());
        replaceAllocation(uid, key, now);
        String cooler = Row.QuarantineRow.key(uid);
        if (quarantine.containsKey(uid) || allocatedByUid.containsKey(cooler)) {
            replaceAllocation(cooler, key, quarantine(uid, now));
        }
    }

    private void replaceAllocation(String holder, ObjectKey claim, List<DeviceResult> now) {
        List<DeviceResult> before = allocatedByUid.getOrDefault(holder, List.of());
        if (now.equals(before)) {
            return;
        }
        allocatedDevices += now.size() - before.size();
        before.forEach(result -> inventory.removeUsage(result.device(), holder));
        now.forEach(result -> inventory.addUsage(result, holder, claim));
        if (now.isEmpty()) {
            allocatedByUid.remove(holder);
        } else {
            allocatedByUid.put(holder, now);
        }
    }

    /**
     * The quarantined devices of a claim, without those that the claim itself has allocated: they are booked already.
     */
    private List<DeviceResult> quarantine(String uid, List<DeviceResult> own) {
        return Optional.ofNullable(quarantine.get(uid))
                .map(Row.QuarantineRow::allocation)
                .map(State::allocatedResults)
                .orElse(List.of())
                .stream()
                .filter(result -> own.stream().noneMatch(each -> each.device().equals(result.device())))
                .toList();
    }

    /**
     * The results of an allocation that make devices unavailable: each device or share once. Admin access does not
     * count.
     */
    static List<DeviceResult> allocatedResults(Allocation allocation) {
        var seen = new LinkedHashSet<List<Object>>();
        return allocation.results().stream()
                .filter(result -> !result.adminAccess())
                .filter(result -> seen.add(List.of(result.device(), result.shareId())))
                .toList();
    }

    /** The devices that an allocation makes unavailable to other claims; without admin access. */
    static List<DeviceId> devicesOf(Allocation allocation) {
        return allocation.results().stream()
                .filter(result -> !result.adminAccess())
                .map(DeviceResult::device)
                .distinct()
                .toList();
    }

    // ---- queries
    // ---------------------------------------------------------------------------------------------------------

    /** All rows by key; an unmodifiable view. */
    public SortedMap<String, Row> rows() {
        return Collections.unmodifiableSortedMap(rows);
    }

    /** The index of nodes, pools, devices and their allocations. */
    public DeviceInventory inventory() {
        return inventory;
    }

    /** The approximate number of free devices; never negative. An allocated share counts as a whole device. */
    public long freeDevices() {
        return Math.max(0, inventory.slices().devices() - allocatedDevices);
    }

    /** The identity of this cell among all cells. */
    public CellIdentity identity() {
        return identity;
    }

    /** The lease of an item from the router; absent in a single cell. */
    Optional<Row.LeaseRow> lease(ItemId item) {
        return Optional.ofNullable((Row.LeaseRow) rows.get(Row.LeaseRow.key(item)));
    }

    /** Whether an item was returned to the router and stays here only to be offered when it fits. */
    public boolean isReturned(ItemId item) {
        return lease(item).filter(lease -> !lease.isActive()).isPresent();
    }

    /** Items for which an offer to the router is open. */
    SortedSet<ItemId> offeredItems() {
        return Collections.unmodifiableSortedSet(offeredItems);
    }

    /** The names of the managed classes whose selectors match a device. */
    public List<String> classesOf(String driver, Device device) {
        return planner.classesOf(driver, device);
    }

    /** The managed classes by name. Every change creates a new map. */
    public SortedMap<String, DeviceClass> classes() {
        return planner.classes();
    }

    AllocationPlanner planner() {
        return planner;
    }

    /** The settings in effect. */
    public CellSettings settings() {
        return settings;
    }

    Row.CountRow count() {
        return rows.get(Row.CountRow.KEY) instanceof Row.CountRow count ? count : new Row.CountRow(0, 0, -1);
    }

    Optional<Row.ObjectRow> object(Kind kind, ObjectKey key) {
        return Optional.ofNullable((Row.ObjectRow) rows.get(Row.ObjectRow.key(kind, key)));
    }

    private <T extends ClusterObject> Optional<T> content(Kind kind, ObjectKey key, Class<T> type) {
        return object(kind, key).flatMap(Row.ObjectRow::content).map(type::cast);
    }

    /** The claim with this key, if it exists. */
    public Optional<ResourceClaim> claim(ObjectKey key) {
        return content(Kind.RESOURCE_CLAIM, key, ResourceClaim.class);
    }

    /** The last observed version of a claim; 0 if it was never observed. */
    long version(ObjectKey claim) {
        return object(Kind.RESOURCE_CLAIM, claim)
                .map(row -> row.stamp().version())
                .orElse(0L);
    }

    /** The key of the existing claim with this UID. */
    Optional<ObjectKey> claimWithUid(String uid) {
        return Optional.ofNullable(claimKeys.get(uid));
    }

    Optional<Pod> pod(ObjectKey key) {
        return content(Kind.POD, key, Pod.class);
    }

    Optional<PodGroup> podGroup(ObjectKey key) {
        return content(Kind.POD_GROUP, key, PodGroup.class);
    }

    /** The node resources that pods use. */
    NodeResourceUsage nodeUsage() {
        return nodeUsage;
    }

    /** The index for inter-pod affinity, anti-affinity, topology spread and host ports. */
    PodAffinityIndex podAffinity() {
        return podAffinity;
    }

    Optional<Node> node(String name) {
        return content(Kind.NODE, ObjectKey.cluster(name), Node.class);
    }

    Optional<Namespace> namespace(String name) {
        return content(Kind.NAMESPACE, ObjectKey.cluster(name), Namespace.class);
    }

    Optional<ResourceClaimTemplate> template(ObjectKey key) {
        return content(Kind.RESOURCE_CLAIM_TEMPLATE, key, ResourceClaimTemplate.class);
    }

    /** The allocation that this cell decided for a claim, until it is released. */
    public Optional<Row.AllocationRow> decidedAllocation(String claimUid) {
        return Optional.ofNullable((Row.AllocationRow) rows.get(Row.AllocationRow.key(claimUid)));
    }

    /** Whether the cell has revoked its allocation of a claim and the writer has not confirmed that yet. */
    boolean isRevoked(ResourceClaim claim) {
        return decidedAllocation(claim.meta().uid())
                .filter(decided -> decided.commitState() == Row.AllocationRow.CommitState.REVOKED)
                .isPresent();
    }

    /** The nodes that a pod avoids for a while because its claims were cleared there. */
    List<Row.AvoidedNodeRow> avoidedNodes(ItemId item, String uid) {
        return rowsFrom(Row.AvoidedNodeRow.prefix(item)).values().stream()
                .map(Row.AvoidedNodeRow.class::cast)
                .filter(row -> row.uid().equals(uid))
                .toList();
    }

    /** The quarantine of a claim's former devices. */
    Optional<Row.QuarantineRow> quarantine(String claimUid) {
        return Optional.ofNullable(quarantine.get(claimUid));
    }

    /** Whether a device holder is a quarantine and not a claim. */
    static boolean isQuarantine(String holder) {
        return holder.startsWith(Row.QuarantineRow.PREFIX);
    }

    /**
     * The rows that expire at this time and need no further work. A {@link Row.RefreshRow} is excluded: a tick
     * continues it.
     */
    List<Row> expiredAt(Instant now) {
        return deadlines.until(now).stream()
                .flatMap(key -> Optional.ofNullable(rows.get(key)).stream())
                .filter(row -> !(row instanceof Row.RefreshRow))
                .toList();
    }

    /** The next time at which a row expires. */
    public Optional<Instant> deadline() {
        return deadlines.first();
    }

    /** The rejection of a claim's allocation by the cluster. */
    Optional<Row.RejectionRow> rejection(String claimUid) {
        return Optional.ofNullable((Row.RejectionRow) rows.get(Row.RejectionRow.key(claimUid)));
    }

    /** The deallocation that is decided for a claim, or its rejection. */
    Optional<Row.DeallocationRow> deallocation(String claimUid) {
        return Optional.ofNullable((Row.DeallocationRow) rows.get(Row.DeallocationRow.key(claimUid)));
    }

    /** The scheduled or running pass that explains pending items again. */
    Optional<Row.RefreshRow> refresh() {
        return Optional.ofNullable((Row.RefreshRow) rows.get(Row.RefreshRow.KEY));
    }

    Optional<Row.NodeLivenessRow> nodeLiveness(String node) {
        return Optional.ofNullable((Row.NodeLivenessRow) rows.get(Row.NodeLivenessRow.key(node)));
    }

    Optional<Row.SourceRow> source(Kind kind, String source) {
        return Optional.ofNullable((Row.SourceRow) rows.get(Row.SourceRow.key(kind, source)));
    }

    Optional<Row.ProbeRow> probe(String id) {
        return Optional.ofNullable((Row.ProbeRow) rows.get(Row.ProbeRow.key(id)));
    }

    /** The row of a work item. */
    public Optional<Row.ItemRow> item(ItemId item) {
        return Optional.ofNullable((Row.ItemRow) rows.get(Row.ItemRow.key(item)));
    }

    /** Whether a claim is still allocated by a decision for this item. The item itself may be deleted. */
    boolean hasAllocationFor(ItemId item) {
        return allocationCounts.has(item);
    }

    /** The pods that reference a claim. */
    SortedSet<ObjectKey> podsOf(ObjectKey claim) {
        return podsOfClaim.getOrDefault(claim, new TreeSet<>());
    }

    /** The PodGroups that reference a claim. */
    SortedSet<ObjectKey> groupsOf(ObjectKey claim) {
        return groupsOfClaim.getOrDefault(claim, new TreeSet<>());
    }

    /** The pods of a PodGroup. */
    SortedSet<ObjectKey> membersOf(ObjectKey group) {
        return podsOfGroup.getOrDefault(group, new TreeSet<>());
    }

    /** The pods of all PodGroups. */
    List<ObjectKey> groupMembers() {
        return podsOfGroup.values().stream().flatMap(Collection::stream).toList();
    }

    /** Whether a DeviceClass is unmanaged. False for an unknown class. */
    boolean isUnmanagedClass(String deviceClass) {
        return unmanagedClasses.contains(deviceClass);
    }

    /** Whether a managed DeviceClass provides this extended resource. */
    boolean isExtendedResourceOfClass(String resource) {
        return classes.values().stream()
                .anyMatch(each ->
                        each.extendedResourceName().filter(resource::equals).isPresent()
                                || resource.equals(ExtendedResources.CLASS_PREFIX
                                        + each.meta().name()));
    }

    /** The cache of evaluation answers, shape indexes and preparations. */
    ChargedWorkCache chargedWork() {
        return chargedWork;
    }

    /** The unfinished work of an item. */
    Optional<Row.WorkRow> work(ItemId item) {
        return Optional.ofNullable((Row.WorkRow) rows.get(Row.WorkRow.key(item)));
    }

    /** Items with unfinished work, by namespace and in queue order. */
    SortedMap<String, SortedMap<Rank, ItemId>> unfinished() {
        return Collections.unmodifiableSortedMap(unfinished);
    }

    /** The unfinished pass over pending items. */
    Optional<Row.BacklogRow> backlog() {
        return Optional.ofNullable((Row.BacklogRow) rows.get(Row.BacklogRow.KEY));
    }

    /** The total of changed devices of all slices, counted at every slice change. */
    long devicesChanged() {
        return rows.get(Row.SliceChangesRow.KEY) instanceof Row.SliceChangesRow row ? row.devices() : 0;
    }

    /** The state of the work budget. The reserve is full before the first input. */
    Row.BudgetRow budget() {
        return rows.get(Row.BudgetRow.KEY) instanceof Row.BudgetRow row
                ? row
                : new Row.BudgetRow(settings.work().reserveMax(), Instant.EPOCH, "", 0);
    }

    /** The time of the last work alarm of a namespace. */
    Optional<Row.WorkAlarmRow> workAlarm(String namespace) {
        return Optional.ofNullable((Row.WorkAlarmRow) rows.get(Row.WorkAlarmRow.key(namespace)));
    }

    /**
     * Whether work is unfinished that no object change resumes. If so, the caller appends {@link Observation.WorkSliceDue}.
     */
    public boolean hasUnfinishedWork() {
        return !unfinished.isEmpty() || hasBacklog();
    }

    /** Whether a pass over pending items is unfinished. */
    public boolean hasBacklog() {
        return backlog().isPresent();
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

    /** Pending items in queue order. */
    public SortedMap<Rank, ItemId> pending() {
        return queue.all();
    }

    /** Creates a counter of unallocated claims. The state must not change while it is in use. */
    public UnallocatedClaimCounter unallocated() {
        return new UnallocatedClaimCounter(
                this, claim -> WorkItemAssembly.allocation(this, claim).isPresent());
    }

    /** The scheduling queue. */
    SchedulingQueue queue() {
        return queue;
    }

    /** Earmarked nodes, each with the rank of the item that it is reserved for. */
    public SortedMap<String, Rank> earmarks() {
        return Collections.unmodifiableSortedMap(earmarks);
    }

    /** The allocated devices of every claim or quarantine, by holder. */
    Map<String, List<DeviceResult>> allocatedByUid() {
        return Collections.unmodifiableMap(allocatedByUid);
    }

    /** The active alarms of allocated devices. */
    public List<Alarm> alarms() {
        return rowsFrom(Row.AlarmRow.PREFIX).values().stream()
                .map(row -> ((Row.AlarmRow) row).alarm())
                .toList();
    }

    /** Whether every configured source has synced every kind and none is stale. */
    public boolean isSynced() {
        return settings.sources().entrySet().stream()
                .allMatch(each -> each.getValue().stream()
                        .allMatch(name -> source(each.getKey(), name)
                                .filter(row -> row.last().epoch() > 0 && !row.stale())
                                .isPresent()));
    }

    /** Whether a pool has no slice although all sources of slices have synced. */
    public boolean isPoolDeleted(PoolId pool) {
        return isSynced()
                && settings.sources().containsKey(Kind.RESOURCE_SLICE)
                && !inventory.slices().isKnown(pool);
    }

    /** The rows whose keys start with a prefix. */
    SortedMap<String, Row> rowsFrom(String prefix) {
        return rows.subMap(prefix, prefix + Character.MAX_VALUE);
    }
}
