package dev.claimstream.allocation.cell;

import dev.claimstream.allocation.inventory.Inventory;
import dev.claimstream.allocation.solver.Planner;
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
 * The rows of a cell and what follows from them. {@link #apply} is the only thing that changes it; live and rebuilt states take the
 * same path.
 */
public final class State {
    private final SortedMap<String, Row> rows = new TreeMap<>();
    private final Inventory inventory = new Inventory();
    private final Planner planner;
    private final SortedMap<String, DeviceClass> classes = new TreeMap<>();
    private final SortedSet<String> othersClasses = new TreeSet<>();
    private final Map<String, ObjectKey> claimKeys = new LinkedHashMap<>();
    private final Map<String, List<DeviceResult>> held = new LinkedHashMap<>();
    private long heldDevices;
    private final Map<String, Row.CoolRow> cooling = new LinkedHashMap<>();
    private final Deadlines deadlines = new Deadlines();
    private final Map<ObjectKey, SortedSet<ObjectKey>> podsOfClaim = new LinkedHashMap<>();
    private final Map<ObjectKey, SortedSet<ObjectKey>> podsOfGroup = new LinkedHashMap<>();
    private final Map<ObjectKey, SortedSet<ObjectKey>> groupsOfClaim = new LinkedHashMap<>();
    private final Queue queue = new Queue();
    private final SortedMap<String, Rank> earmarks = new TreeMap<>();
    private final SortedSet<ItemId> offered = new TreeSet<>();
    private final ItemCounts grants = new ItemCounts();
    private final PoolSources pools = new PoolSources();
    private final Neighbours neighbours = new Neighbours(this);
    private final Charges charges = new Charges(this, inventory);
    private final Separating separating = new Separating(this, queue);
    private final PaidTables paid;
    private final SortedMap<String, SortedMap<Rank, ItemId>> unfinished = new TreeMap<>();
    private final Place place;
    private Settings settings = Settings.defaults();

    public State(Selectors selectors) {
        this(selectors, Place.ALONE);
    }

    public State(Selectors selectors, Place place) {
        this.planner = new Planner(inventory, selectors);
        this.paid = new PaidTables(planner.evaluations());
        this.place = place;
        inventory.describeHolders(holder -> HolderState.of(this, holder));
    }

    /** A state with these rows. */
    public static State of(Selectors selectors, Iterable<Row> rows) {
        return of(selectors, Place.ALONE, rows);
    }

    /** A state with these rows. */
    public static State of(Selectors selectors, Place place, Iterable<Row> rows) {
        var state = new State(selectors, place);
        rows.forEach(row -> state.apply(new Fact.Put(row)));
        return state;
    }

    /** Takes a fact over. */
    public void apply(Fact fact) {
        Optional<Row> before = Optional.ofNullable(rows.get(fact.key()));
        switch (fact) {
            case Fact.Put put -> {
                rows.put(put.key(), put.row());
                before.ifPresent(separating::note);
                if (!before.filter(row -> isSameObject(row, put.row())).isPresent()) {
                    before.filter(row -> !isExtended(row, put.row())).ifPresent(this::forget);
                    learn(put.row());
                }
                before.ifPresent(this::publish);
                publish(put.row());
                charge(put.row());
                separating.note(put.row());
            }
            case Fact.Drop drop -> {
                rows.remove(drop.key());
                before.ifPresent(row -> {
                    separating.note(row);
                    forget(row);
                    publish(row);
                    charge(row);
                });
            }
        }
    }

    /** A list shows every object again: nothing follows from that. */
    private static boolean isSameObject(Row before, Row after) {
        return before instanceof Row.ObjectRow one
                && after instanceof Row.ObjectRow other
                && one.content().isPresent()
                && one.content().equals(other.content())
                && one.stamp().source().equals(other.stamp().source());
    }

    /** Answers are only added to a row, so that what is known of the others stays. */
    private static boolean isExtended(Row before, Row after) {
        return before instanceof Row.EvaluationRow && after instanceof Row.EvaluationRow;
    }

    private void forget(Row row) {
        switch (row) {
            case Row.ObjectRow object -> object.content().ifPresent(content -> forget(object, content));
            case Row.HeardRow heard -> inventory.setSilent(heard.node(), false);
            case Row.ItemRow item -> {
                queue.remove(item);
                item.earmark().ifPresent(node -> earmarks.remove(node, item.rank()));
            }
            case Row.GrantRow grant -> {
                grants.remove(grant.item());
                holdAnew(grant.claimUid(), grant.claim());
            }
            case Row.CoolRow cool -> {
                cooling.remove(cool.claimUid());
                deadlines.remove(cool.until(), cool.key());
                holdAnew(cool.claimUid(), cool.claim());
            }
            case Row.SettingsRow changed -> configure(Settings.defaults());
            case Row.SourceRow source -> {}
            case Row.ProbeRow probe -> {}
            case Row.CountRow count -> {}
            case Row.RefreshRow refresh -> deadlines.remove(refresh.due(), refresh.key());
            case Row.RefusedRow refused -> {}
            case Row.DeallocationRow deallocation -> {}
            case Row.AvoidRow avoid -> deadlines.remove(avoid.until(), avoid.key());
            case Row.AlarmRow alarm -> {}
            case Row.LeaseRow lease -> offered.remove(lease.item());
            case Row.EvaluationRow evaluation -> paid.remove(evaluation);
            case Row.IndexRow index -> paid.remove(index);
            case Row.PreparationRow preparation -> paid.remove(preparation);
            case Row.WorkRow work -> {
                String namespace = work.item().key().namespace();
                SortedMap<Rank, ItemId> those = unfinished.getOrDefault(namespace, new TreeMap<>());
                those.remove(work.rank());
                if (those.isEmpty()) {
                    unfinished.remove(namespace);
                }
            }
            case Row.SlicesRow _ -> paid.devicesChanged(0);
            case Row.BacklogRow _, Row.BudgetRow _, Row.WorkAlarmRow _ -> {}
        }
    }

    private void learn(Row row) {
        switch (row) {
            case Row.ObjectRow object -> object.content().ifPresent(content -> learn(object, content));
            case Row.HeardRow heard -> inventory.setSilent(heard.node(), heard.silent());
            case Row.ItemRow item -> {
                if (item.waits()) {
                    queue.add(item);
                    item.earmark().ifPresent(node -> earmarks.put(node, item.rank()));
                }
            }
            case Row.GrantRow grant -> {
                grants.add(grant.item());
                holdAnew(grant.claimUid(), grant.claim());
            }
            case Row.CoolRow cool -> {
                cooling.put(cool.claimUid(), cool);
                deadlines.add(cool.until(), cool.key());
                holdAnew(cool.claimUid(), cool.claim());
            }
            case Row.SettingsRow changed -> configure(changed.settings());
            case Row.SourceRow source -> {}
            case Row.ProbeRow probe -> {}
            case Row.CountRow count -> {}
            case Row.RefreshRow refresh -> deadlines.add(refresh.due(), refresh.key());
            case Row.RefusedRow refused -> {}
            case Row.DeallocationRow deallocation -> {}
            case Row.AvoidRow avoid -> deadlines.add(avoid.until(), avoid.key());
            case Row.AlarmRow alarm -> {}
            case Row.LeaseRow lease -> {
                if (lease.offered()) {
                    offered.add(lease.item());
                }
            }
            case Row.EvaluationRow evaluation -> paid.add(evaluation);
            case Row.IndexRow index -> paid.add(index);
            case Row.PreparationRow preparation -> paid.add(preparation);
            case Row.WorkRow work ->
                unfinished
                        .computeIfAbsent(work.item().key().namespace(), _ -> new TreeMap<>())
                        .put(work.rank(), work.item());
            case Row.SlicesRow slices -> paid.devicesChanged(slices.devices());
            case Row.BacklogRow _, Row.BudgetRow _, Row.WorkAlarmRow _ -> {}
        }
    }

    /** What pods take of nodes, and where they stand, follows from pods, their items, and what their claims have. */
    private void charge(Row row) {
        switch (row) {
            case Row.ObjectRow object when object.kind() == Kind.POD -> charges.settle(object.object());
            case Row.ObjectRow object when object.kind() == Kind.NODE -> neighbours.nodeChanged();
            case Row.ObjectRow object when object.kind() == Kind.NAMESPACE -> neighbours.namespaceChanged();
            case Row.ObjectRow object
            when object.kind() == Kind.RESOURCE_CLAIM -> podsOf(object.object()).forEach(charges::settle);
            case Row.GrantRow grant -> podsOf(grant.claim()).forEach(charges::settle);
            case Row.ItemRow item
            when item.item().sort() == ItemId.Sort.POD ->
                charges.settle(item.item().key());
            default -> {}
        }
    }

    /** What devices take of nodes follows from what is published of them. */
    private void publish(Row row) {
        switch (row) {
            case Row.ObjectRow object
            when object.content().orElse(null) instanceof ResourceSlice slice -> charges.settle(slice.poolId());
            case Row.SettingsRow _ -> charges.settleAll();
            default -> {}
        }
    }

    private void configure(Settings changed) {
        settings = changed;
        inventory.setFeatures(changed.features());
        planner.setFeatures(changed.features());
        pools.configure(changed.sources().getOrDefault(Kind.RESOURCE_SLICE, new TreeSet<>()));
        pools.disputed().forEach(this::publishAnew);
    }

    // ---- slices, of the source that counts for their pool
    // -------------------------------------------------------------------------

    private void learn(ResourceSlice slice, String source) {
        Optional<String> before = pools.of(slice.poolId());
        pools.add(slice.poolId(), source);
        Optional<String> now = pools.of(slice.poolId());
        if (before.isPresent() && !before.equals(now)) {
            publishAnew(slice.poolId());
        } else if (now.equals(Optional.of(source))) {
            inventory.put(slice);
        }
    }

    private void forget(ResourceSlice slice, String source) {
        Optional<String> before = pools.of(slice.poolId());
        pools.remove(slice.poolId(), source);
        Optional<String> now = pools.of(slice.poolId());
        if (now.isPresent() && !before.equals(now)) {
            publishAnew(slice.poolId());
        } else if (before.equals(Optional.of(source))) {
            inventory.remove(slice);
        }
    }

    /** Another source counts for a pool; that is rare, so all slices may be looked at. */
    private void publishAnew(PoolId pool) {
        List.copyOf(inventory.pools().getOrDefault(pool, new TreeMap<>()).values())
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

    private void forget(Row.ObjectRow row, ClusterObject object) {
        switch (object) {
            case ResourceSlice slice -> forget(slice, row.stamp().source());
            case Node node -> inventory.removeNode(node.meta().name());
            case DeviceTaintRule rule -> inventory.removeTaintRule(rule.meta().name());
            case DeviceClass each -> {
                othersClasses.remove(each.meta().name());
                classes.remove(each.meta().name());
                planner.setClasses(classes);
            }
            case ResourceClaim claim -> {
                claimKeys.remove(claim.meta().uid(), claim.key());
                holdAnew(claim.meta().uid(), claim.key());
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

    private void learn(Row.ObjectRow row, ClusterObject object) {
        switch (object) {
            case ResourceSlice slice -> learn(slice, row.stamp().source());
            case Node node -> inventory.put(node);
            case DeviceTaintRule rule -> inventory.put(rule);
            case DeviceClass each -> {
                switch (each.givenBy()) {
                    case CLAIMSTREAM -> classes.put(each.meta().name(), each);
                    case OTHERS -> othersClasses.add(each.meta().name());
                }
                planner.setClasses(classes);
            }
            case ResourceClaim claim -> {
                claimKeys.put(claim.meta().uid(), claim.key());
                holdAnew(claim.meta().uid(), claim.key());
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

    /** What a claim holds is what its status says, else what we gave to it. What cools down is held besides, by nobody who could use it. */
    private void holdAnew(String uid, ObjectKey key) {
        List<DeviceResult> now = claim(key)
                .filter(claim -> claim.meta().uid().equals(uid))
                .flatMap(ResourceClaim::allocation)
                .or(() -> grant(uid).map(Row.GrantRow::allocation))
                .map(State::heldBy)
                .orElse(List.of());
        holdNow(uid, key, now);
        String cooler = Row.CoolRow.key(uid);
        if (cooling.containsKey(uid) || held.containsKey(cooler)) {
            holdNow(cooler, key, cooling(uid, now));
        }
    }

    private void holdNow(String holder, ObjectKey claim, List<DeviceResult> now) {
        List<DeviceResult> before = held.getOrDefault(holder, List.of());
        if (now.equals(before)) {
            return;
        }
        heldDevices += now.size() - before.size();
        before.forEach(result -> inventory.release(result.device(), holder));
        now.forEach(result -> inventory.hold(result, holder, claim));
        if (now.isEmpty()) {
            held.remove(holder);
        } else {
            held.put(holder, now);
        }
    }

    /** What cools down of a claim, but for what the claim itself holds: that is held already. */
    private List<DeviceResult> cooling(String uid, List<DeviceResult> own) {
        return Optional.ofNullable(cooling.get(uid))
                .map(Row.CoolRow::allocation)
                .map(State::heldBy)
                .orElse(List.of())
                .stream()
                .filter(result -> own.stream().noneMatch(each -> each.device().equals(result.device())))
                .toList();
    }

    /** What an allocation takes from others: every device once, or each of its shares; admin access takes none. */
    static List<DeviceResult> heldBy(Allocation allocation) {
        var seen = new LinkedHashSet<List<Object>>();
        return allocation.results().stream()
                .filter(result -> !result.adminAccess())
                .filter(result -> seen.add(List.of(result.device(), result.shareId())))
                .toList();
    }

    /** The devices that an allocation takes from others. */
    static List<DeviceId> devicesOf(Allocation allocation) {
        return allocation.results().stream()
                .filter(result -> !result.adminAccess())
                .map(DeviceResult::device)
                .distinct()
                .toList();
    }

    // ---- what reads it
    // ---------------------------------------------------------------------------------------------------------

    /** Every row, by key. */
    public SortedMap<String, Row> rows() {
        return Collections.unmodifiableSortedMap(rows);
    }

    /** The device table. */
    public Inventory inventory() {
        return inventory;
    }

    /** About how many devices nobody holds: a share counts as a device here. */
    public long free() {
        return Math.max(0, inventory.devices() - heldDevices);
    }

    /** Which cell this is. */
    public Place place() {
        return place;
    }

    /** An item that the router lent to this cell. */
    Optional<Row.LeaseRow> lease(ItemId item) {
        return Optional.ofNullable((Row.LeaseRow) rows.get(Row.LeaseRow.key(item)));
    }

    /** Whether an item is only looked out for here, and counts elsewhere. */
    public boolean isAway(ItemId item) {
        return lease(item).filter(lease -> !lease.here()).isPresent();
    }

    /** Items of which the router was told that they would fit. */
    SortedSet<ItemId> offered() {
        return Collections.unmodifiableSortedSet(offered);
    }

    /** The names of our classes whose selectors a device satisfies. */
    public List<String> classesOf(String driver, Device device) {
        return planner.classesOf(driver, device);
    }

    /** Our classes, by name; another map after every change. */
    public SortedMap<String, DeviceClass> classes() {
        return planner.classes();
    }

    Planner planner() {
        return planner;
    }

    /** The settings that count. */
    public Settings settings() {
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

    /** A claim that stands. */
    public Optional<ResourceClaim> claim(ObjectKey key) {
        return content(Kind.RESOURCE_CLAIM, key, ResourceClaim.class);
    }

    /** Which version of a claim is known. */
    long version(ObjectKey claim) {
        return object(Kind.RESOURCE_CLAIM, claim)
                .map(row -> row.stamp().version())
                .orElse(0L);
    }

    /** Where the claim with this uid stands. */
    Optional<ObjectKey> claimWithUid(String uid) {
        return Optional.ofNullable(claimKeys.get(uid));
    }

    Optional<Pod> pod(ObjectKey key) {
        return content(Kind.POD, key, Pod.class);
    }

    Optional<PodGroup> podGroup(ObjectKey key) {
        return content(Kind.POD_GROUP, key, PodGroup.class);
    }

    /** What pods take of nodes. */
    Charges charges() {
        return charges;
    }

    /** Where pods stand, as far as it keeps others away. */
    Neighbours neighbours() {
        return neighbours;
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

    /** What we gave to a claim. */
    public Optional<Row.GrantRow> grant(String claimUid) {
        return Optional.ofNullable((Row.GrantRow) rows.get(Row.GrantRow.key(claimUid)));
    }

    /** Whether what we gave to a claim is on its way back. */
    boolean isRevoked(ResourceClaim claim) {
        return grant(claim.meta().uid())
                .filter(grant -> grant.standing() == Row.GrantRow.Standing.REVOKED)
                .isPresent();
    }

    /** Nodes that have not taken a pod, for a while. */
    List<Row.AvoidRow> avoided(ItemId item, String uid) {
        return rowsFrom(Row.AvoidRow.prefix(item)).values().stream()
                .map(Row.AvoidRow.class::cast)
                .filter(row -> row.uid().equals(uid))
                .toList();
    }

    /** What cools down of a claim. */
    Optional<Row.CoolRow> cooling(String claimUid) {
        return Optional.ofNullable(cooling.get(claimUid));
    }

    /** Whether a holder of devices is only what cools down. */
    static boolean isCooler(String holder) {
        return holder.startsWith(Row.CoolRow.PREFIX);
    }

    /** What has ended at this time and only has to be told. A refresh does not end by time: a tick makes it go on. */
    List<Row> overAt(Instant now) {
        return deadlines.until(now).stream()
                .flatMap(key -> Optional.ofNullable(rows.get(key)).stream())
                .filter(row -> !(row instanceof Row.RefreshRow))
                .toList();
    }

    /** When something ends next by time alone. */
    public Optional<Instant> deadline() {
        return deadlines.first();
    }

    /** Why the cluster did not take what we gave to a claim. */
    Optional<Row.RefusedRow> refused(String claimUid) {
        return Optional.ofNullable((Row.RefusedRow) rows.get(Row.RefusedRow.key(claimUid)));
    }

    /** The deallocation that is decided for a claim, or was rejected. */
    Optional<Row.DeallocationRow> deallocation(String claimUid) {
        return Optional.ofNullable((Row.DeallocationRow) rows.get(Row.DeallocationRow.key(claimUid)));
    }

    /** The pass that explains pending items again, if one is ordered. */
    Optional<Row.RefreshRow> refresh() {
        return Optional.ofNullable((Row.RefreshRow) rows.get(Row.RefreshRow.KEY));
    }

    Optional<Row.HeardRow> heard(String node) {
        return Optional.ofNullable((Row.HeardRow) rows.get(Row.HeardRow.key(node)));
    }

    Optional<Row.SourceRow> source(Kind kind, String source) {
        return Optional.ofNullable((Row.SourceRow) rows.get(Row.SourceRow.key(kind, source)));
    }

    Optional<Row.ProbeRow> probe(String id) {
        return Optional.ofNullable((Row.ProbeRow) rows.get(Row.ProbeRow.key(id)));
    }

    /** A work item. */
    public Optional<Row.ItemRow> item(ItemId item) {
        return Optional.ofNullable((Row.ItemRow) rows.get(Row.ItemRow.key(item)));
    }

    /** Whether a claim holds what it was given with an item, which may be gone. */
    boolean isHeldFor(ItemId item) {
        return grants.has(item);
    }

    /** The pods that name a claim. */
    SortedSet<ObjectKey> podsOf(ObjectKey claim) {
        return podsOfClaim.getOrDefault(claim, new TreeSet<>());
    }

    /** The PodGroups that name a claim. */
    SortedSet<ObjectKey> groupsOf(ObjectKey claim) {
        return groupsOfClaim.getOrDefault(claim, new TreeSet<>());
    }

    /** The pods that are in a group. */
    SortedSet<ObjectKey> membersOf(ObjectKey group) {
        return podsOfGroup.getOrDefault(group, new TreeSet<>());
    }

    /** The pods that are in some group. */
    List<ObjectKey> members() {
        return podsOfGroup.values().stream().flatMap(Collection::stream).toList();
    }

    /** Whether the claims of a class are allocated by others; not where nothing is known of it. */
    boolean isOfOthers(String deviceClass) {
        return othersClasses.contains(deviceClass);
    }

    /** Whether a class offers its devices as this extended resource. */
    boolean isOfClass(String resource) {
        return classes.values().stream()
                .anyMatch(each ->
                        each.extendedResourceName().filter(resource::equals).isPresent()
                                || resource.equals(ExtendedResources.CLASS_PREFIX
                                        + each.meta().name()));
    }

    /** Answers and indexes that are paid. */
    PaidTables paid() {
        return paid;
    }

    /** The work for an item that goes on. */
    Optional<Row.WorkRow> work(ItemId item) {
        return Optional.ofNullable((Row.WorkRow) rows.get(Row.WorkRow.key(item)));
    }

    /** Items whose work goes on, by namespace and in the order of the queue. */
    SortedMap<String, SortedMap<Rank, ItemId>> unfinished() {
        return Collections.unmodifiableSortedMap(unfinished);
    }

    /** Pending items that are still to be looked at. */
    Optional<Row.BacklogRow> backlog() {
        return Optional.ofNullable((Row.BacklogRow) rows.get(Row.BacklogRow.KEY));
    }

    /** Devices of all slices that have changed so far, counted at every change. */
    long devicesChanged() {
        return rows.get(Row.SlicesRow.KEY) instanceof Row.SlicesRow row ? row.devices() : 0;
    }

    /** The budget of work; full before the first input. */
    Row.BudgetRow budget() {
        return rows.get(Row.BudgetRow.KEY) instanceof Row.BudgetRow row
                ? row
                : new Row.BudgetRow(settings.work().reserveMax(), Instant.EPOCH, "", 0);
    }

    /** When items of a namespace were reported last for the work that they need. */
    Optional<Row.WorkAlarmRow> workAlarm(String namespace) {
        return Optional.ofNullable((Row.WorkAlarmRow) rows.get(Row.WorkAlarmRow.key(namespace)));
    }

    /** Whether work goes on that no change of an object will cause: {@link Observation.Continue} is due. */
    public boolean isWorkUnfinished() {
        return !unfinished.isEmpty() || isBacklogged();
    }

    /** Whether pending items are still to be looked at after a change. */
    public boolean isBacklogged() {
        return backlog().isPresent();
    }

    /** The number of the next slice of work. */
    public long nextSlice() {
        return budget().slices();
    }

    /** Builds the paid indexes of pending items: after a start, before the first input. */
    public void restoreIndexes() {
        for (ItemId item : List.copyOf(queue.all().values())) {
            if (Assembly.of(this, item) instanceof Assembly.Ready ready && !ready.hasEverything(this)) {
                planner.restore(ready.shape(), paid);
            }
        }
    }

    /** Waiting items in the order of the queue. */
    public SortedMap<Rank, ItemId> waiting() {
        return queue.all();
    }

    /** Counts the claims to which nothing is given; the state must not change meanwhile. */
    public Unserved unserved() {
        return new Unserved(this, claim -> Assembly.allocation(this, claim).isPresent());
    }

    /** The items that wait, and who among them is alike. */
    Queue queue() {
        return queue;
    }

    /** Nodes that are kept, and for whom. */
    public SortedMap<String, Rank> earmarks() {
        return Collections.unmodifiableSortedMap(earmarks);
    }

    /** What every claim holds, by uid. */
    Map<String, List<DeviceResult>> held() {
        return Collections.unmodifiableMap(held);
    }

    /** What is wrong with devices that are held, and is not over. */
    public List<Alarm> alarms() {
        return rowsFrom(Row.AlarmRow.PREFIX).values().stream()
                .map(row -> ((Row.AlarmRow) row).alarm())
                .toList();
    }

    /** Whether every configured source has listed every kind, and none is known to be old. */
    public boolean isListed() {
        return settings.sources().entrySet().stream()
                .allMatch(each -> each.getValue().stream()
                        .allMatch(name -> source(each.getKey(), name)
                                .filter(row -> row.last().epoch() > 0 && !row.stale())
                                .isPresent()));
    }

    /** Whether no slice of a pool is there, as far as is known: all who publish slices have said which there are. */
    public boolean isWithdrawn(PoolId pool) {
        return isListed() && settings.sources().containsKey(Kind.RESOURCE_SLICE) && !inventory.isKnown(pool);
    }

    /** The rows whose keys begin like this. */
    SortedMap<String, Row> rowsFrom(String prefix) {
        return rows.subMap(prefix, prefix + Character.MAX_VALUE);
    }
}
