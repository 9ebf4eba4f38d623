package dev.claimstream.allocation.cell;

import dev.claimstream.dra.Allocation;
import dev.claimstream.dra.ClusterObject;
import dev.claimstream.dra.DeviceId;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.Namespace;
import dev.claimstream.dra.Node;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.Pod;
import dev.claimstream.dra.PodGroup;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.dra.ResourceClaimTemplate;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;

/**
 * Rows, and the indexes of observed objects that a cell and the router have in common.
 *
 * <p>{@link #store} is the only mutator. Not thread-safe.
 */
sealed class ObservedState permits State {
    private final RowTable rows = new RowTable();
    private final List<RowIndex> indexes = new ArrayList<>();
    private final CurrentSettings settings = new CurrentSettings();
    private final ClaimIndex claims = new ClaimIndex();
    private final PodIndex pods = new PodIndex();
    private final ClassIndex classes = new ClassIndex();

    ObservedState() {
        register(List.of(settings, claims, pods, classes));
    }

    /** Adds indexes. A row reaches the indexes in the order of their registration. */
    final void register(List<RowIndex> more) {
        indexes.addAll(more);
    }

    /** Stores or deletes the row of a fact and updates the indexes. Returns the row before. */
    final Optional<Row> store(Fact fact) {
        switch (fact) {
            case Fact.Put(Row row) -> {
                Optional<Row> before = rows.put(row);
                if (before.filter(known -> isSameObject(known, row)).isEmpty()) {
                    before.filter(known -> !isExtended(known, row)).ifPresent(this::unindex);
                    indexes.forEach(index -> index.add(row));
                }
                return before;
            }
            case Fact.Drop(String key) -> {
                Optional<Row> before = rows.remove(key);
                before.ifPresent(this::unindex);
                return before;
            }
        }
    }

    private void unindex(Row row) {
        indexes.forEach(index -> index.remove(row));
    }

    /** A relist repeats every object. An upsert with equal content and source needs no index update. */
    private static boolean isSameObject(Row before, Row after) {
        return before instanceof ObservedRow.ObjectRow one
                && after instanceof ObservedRow.ObjectRow other
                && one.content().isPresent()
                && one.content().equals(other.content())
                && one.stamp().source().equals(other.stamp().source());
    }

    /** New answers are appended to an existing row. The index keeps the answers that it already has. */
    private static boolean isExtended(Row before, Row after) {
        return before instanceof WorkBudgetRow.EvaluationRow && after instanceof WorkBudgetRow.EvaluationRow;
    }

    /** Whether a device is published. Only a cell indexes devices. */
    boolean isPublished(DeviceId device) {
        return true;
    }

    /** What differs with several cells. Only a cell can be one of several. */
    CellCoordination coordination() {
        return SingleCell.INSTANCE;
    }

    // ---- rows
    // -------------------------------------------------------------------------------------------------------------

    final RowTable table() {
        return rows;
    }

    /** All rows by key; an unmodifiable view. */
    public final SortedMap<String, Row> rows() {
        return rows.asMap();
    }

    /** The rows of a range in the order of their keys; a view. */
    final <R extends Row> Collection<R> rows(RowRange<R> range) {
        return rows.all(range);
    }

    final <R extends Row> Optional<R> row(RowKey<R> key) {
        return rows.get(key);
    }

    /** The settings in effect. */
    public final CellSettings settings() {
        return settings.get();
    }

    /** The counters of the cell. */
    public final Row.CountRow count() {
        return row(Row.CountRow.KEY).orElse(Row.CountRow.NONE);
    }

    // ---- objects
    // ----------------------------------------------------------------------------------------------------------

    final Optional<ObservedRow.ObjectRow> object(Kind kind, ObjectKey key) {
        return row(ObservedRow.ObjectRow.key(kind, key));
    }

    private <T extends ClusterObject> Optional<T> object(Kind kind, ObjectKey key, Class<T> type) {
        return rows.object(kind, key, type);
    }

    /** The claim with this key, if it exists. */
    public final Optional<ResourceClaim> claim(ObjectKey key) {
        return object(Kind.RESOURCE_CLAIM, key, ResourceClaim.class);
    }

    /** The last observed version of a claim; 0 if it was never observed. */
    final long version(ObjectKey claim) {
        return object(Kind.RESOURCE_CLAIM, claim)
                .map(row -> row.stamp().version())
                .orElse(0L);
    }

    /** The key of the existing claim with this UID. */
    final Optional<ObjectKey> claimWithUid(String uid) {
        return claims.withUid(uid);
    }

    /** The pod with this key, if it exists. */
    public final Optional<Pod> pod(ObjectKey key) {
        return object(Kind.POD, key, Pod.class);
    }

    final Optional<PodGroup> podGroup(ObjectKey key) {
        return object(Kind.POD_GROUP, key, PodGroup.class);
    }

    final Optional<Node> node(String name) {
        return object(Kind.NODE, ObjectKey.cluster(name), Node.class);
    }

    final Optional<Namespace> namespace(String name) {
        return object(Kind.NAMESPACE, ObjectKey.cluster(name), Namespace.class);
    }

    final Optional<ResourceClaimTemplate> template(ObjectKey key) {
        return object(Kind.RESOURCE_CLAIM_TEMPLATE, key, ResourceClaimTemplate.class);
    }

    /** The pods that reference a claim. */
    public final SortedSet<ObjectKey> podsOf(ObjectKey claim) {
        return pods.podsOf(claim);
    }

    final PodIndex podIndex() {
        return pods;
    }

    final ClassIndex classIndex() {
        return classes;
    }

    /** Whether every configured source has synced every kind and none is stale. */
    public final boolean isSynced() {
        return settings().sources().entrySet().stream()
                .allMatch(each -> each.getValue().stream()
                        .allMatch(name -> row(ObservedRow.SourceRow.key(each.getKey(), name))
                                .filter(row -> row.last().epoch() > 0 && !row.stale())
                                .isPresent()));
    }

    // ---- claims
    // -----------------------------------------------------------------------------------------------------------

    /** The allocation that this cell decided for a claim, until it is released. */
    public final Optional<ClaimRow.AllocationRow> decidedAllocation(String claimUid) {
        return row(ClaimRow.AllocationRow.key(claimUid));
    }

    /** The allocation of a claim: its status takes precedence over the cell's own decision. */
    final Optional<Allocation> allocation(ResourceClaim claim) {
        return claim.allocation()
                .or(() -> decidedAllocation(claim.meta().uid()).map(ClaimRow.AllocationRow::allocation));
    }

    /** Whether the cell has revoked its allocation of a claim and the writer has not confirmed that yet. */
    final boolean isRevoked(ResourceClaim claim) {
        return decidedAllocation(claim.meta().uid())
                .filter(decided -> decided.commitState() == ClaimRow.AllocationRow.CommitState.REVOKED)
                .isPresent();
    }

    /** The deallocation that is decided for a claim, or its rejection. */
    final Optional<ClaimRow.DeallocationRow> deallocation(String claimUid) {
        return row(ClaimRow.DeallocationRow.key(claimUid));
    }
}
