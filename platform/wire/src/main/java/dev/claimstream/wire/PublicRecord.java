package dev.claimstream.wire;

import dev.claimstream.allocation.cell.Stamp;
import dev.claimstream.dra.ClusterObject;
import dev.claimstream.dra.DeviceClass;
import dev.claimstream.dra.DeviceTaintRule;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.Namespace;
import dev.claimstream.dra.Node;
import dev.claimstream.dra.NodeScope;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.Pod;
import dev.claimstream.dra.PodGroup;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.dra.ResourceClaimTemplate;
import dev.claimstream.dra.ResourceSlice;
import dev.claimstream.schemas.ClaimsRecord;
import dev.claimstream.schemas.DeletionMarker;
import dev.claimstream.schemas.InventoryRecord;
import dev.claimstream.schemas.Liveness;
import dev.claimstream.schemas.ProbeRecord;
import dev.claimstream.schemas.StaleMarker;
import dev.claimstream.schemas.SyncMarker;
import java.util.List;

/** A record of a public topic: key parts and value. */
public sealed interface PublicRecord {
    /** Returns the key parts, as defined in {@code topics.yaml}. */
    List<String> key();

    /** A record of {@code inventory.v1}. */
    record InventoryTopicRecord(List<String> key, InventoryRecord value) implements PublicRecord {
        public InventoryTopicRecord {
            key = List.copyOf(key);
        }
    }

    /** A record of {@code claims.v1}. */
    record ClaimsTopicRecord(List<String> key, ClaimsRecord value) implements PublicRecord {
        public ClaimsTopicRecord {
            key = List.copyOf(key);
        }
    }

    static PublicRecord upsert(Stamp stamp, ClusterObject object) {
        String uid = object.meta().uid();
        var inventory = inventory(stamp, uid);
        var claims = claims(stamp, uid);
        return switch (object) {
            case ResourceSlice slice ->
                new InventoryTopicRecord(
                        key(slice), inventory.setSlice(InventoryCodec.to(slice)).build());
            case DeviceClass each ->
                new InventoryTopicRecord(
                        key(each),
                        inventory.setDeviceClass(InventoryCodec.to(each)).build());
            case DeviceTaintRule rule ->
                new InventoryTopicRecord(
                        key(rule),
                        inventory.setTaintRule(InventoryCodec.to(rule)).build());
            case Node node ->
                new InventoryTopicRecord(
                        key(node), inventory.setNode(InventoryCodec.to(node)).build());
            case Namespace namespace ->
                new InventoryTopicRecord(
                        key(namespace),
                        inventory.setNamespace(InventoryCodec.to(namespace)).build());
            case ResourceClaim claim ->
                new ClaimsTopicRecord(
                        key(claim), claims.setClaim(ClaimCodec.to(claim)).build());
            case ResourceClaimTemplate template ->
                new ClaimsTopicRecord(
                        key(template),
                        claims.setTemplate(ClaimCodec.to(template)).build());
            case Pod pod ->
                new ClaimsTopicRecord(
                        key(pod), claims.setPod(ClaimCodec.to(pod)).build());
            case PodGroup group ->
                new ClaimsTopicRecord(
                        key(group), claims.setPodGroup(ClaimCodec.to(group)).build());
        };
    }

    /** Returns a record for a deleted object. */
    static PublicRecord deletion(Stamp stamp, ClusterObject object) {
        String uid = object.meta().uid();
        ObjectKey key = object.key();
        var marker = new DeletionMarker(object.kind().apiName(), key.namespace(), key.name(), uid);
        return isInventory(object.kind())
                ? new InventoryTopicRecord(
                        key(object), inventory(stamp, uid).setDeleted(marker).build())
                : new ClaimsTopicRecord(
                        key(object), claims(stamp, uid).setDeleted(marker).build());
    }

    /**
     * Returns a sync marker: the source has published every object of the kind in this epoch.
     *
     * @param count the number of objects
     */
    static PublicRecord syncMarker(Stamp stamp, Kind kind, long count) {
        var marker = new SyncMarker(kind.apiName(), stamp.epoch(), stamp.version(), count);
        List<String> key = List.of("Synced", stamp.source(), kind.apiName());
        return isInventory(kind)
                ? new InventoryTopicRecord(
                        key, inventory(stamp, "").setSynced(marker).build())
                : new ClaimsTopicRecord(key, claims(stamp, "").setSynced(marker).build());
    }

    /** Returns a stale marker: the source receives no changes of the kind until it relists. */
    static PublicRecord staleMarker(Stamp stamp, Kind kind) {
        var stale = new StaleMarker(kind.apiName());
        List<String> key = List.of("Stale", stamp.source(), kind.apiName());
        return isInventory(kind)
                ? new InventoryTopicRecord(
                        key, inventory(stamp, "").setStale(stale).build())
                : new ClaimsTopicRecord(key, claims(stamp, "").setStale(stale).build());
    }

    /** Returns whether the record concerns the whole source. It is sent to every partition of its topic. */
    default boolean isBroadcast() {
        return switch (this) {
            case InventoryTopicRecord inventory ->
                inventory.value().getSynced().isPresent()
                        || inventory.value().getStale().isPresent();
            case ClaimsTopicRecord claims ->
                claims.value().getSynced().isPresent()
                        || claims.value().getStale().isPresent();
        };
    }

    /** Returns whether the record reports a deletion. A tombstone for the same key follows it. */
    default boolean isDeletion() {
        return switch (this) {
            case InventoryTopicRecord inventory ->
                inventory.value().getDeleted().isPresent();
            case ClaimsTopicRecord claims -> claims.value().getDeleted().isPresent();
        };
    }

    /**
     * Returns a record for the liveness of a node.
     *
     * @param silent whether the node's agent has stopped sending heartbeats
     */
    static PublicRecord liveness(Stamp stamp, String node, boolean silent, java.time.Instant at) {
        var liveness = new Liveness(node, silent ? "silent" : "alive", at);
        return new InventoryTopicRecord(
                List.of("Liveness", node, ""),
                inventory(stamp, node).setLiveness(liveness).build());
    }

    /** Returns record {@code index} of {@code records} of a probe in {@code inventory.v1}. */
    static PublicRecord probeInventory(Stamp stamp, String id, int index, int records) {
        return new InventoryTopicRecord(
                List.of("Probe", "", id),
                inventory(stamp, "")
                        .setProbe(new ProbeRecord(id, index, records))
                        .build());
    }

    /** Returns record {@code index} of {@code records} of a probe in {@code claims.v1}. */
    static PublicRecord probeClaims(Stamp stamp, String id, int index, int records) {
        return new ClaimsTopicRecord(
                List.of("Probe", "", id),
                claims(stamp, "").setProbe(new ProbeRecord(id, index, records)).build());
    }

    /** Returns whether objects of a kind belong to {@code inventory.v1}. The other kinds belong to {@code claims.v1}. */
    static boolean isInventory(Kind kind) {
        return switch (kind) {
            case RESOURCE_SLICE, DEVICE_CLASS, DEVICE_TAINT_RULE, NODE, NAMESPACE -> true;
            case RESOURCE_CLAIM, RESOURCE_CLAIM_TEMPLATE, POD, POD_GROUP -> false;
        };
    }

    /** Returns the key parts of an object's record. */
    static List<String> key(ClusterObject object) {
        String kind = object.kind().apiName();
        String name = object.meta().name();
        return switch (object) {
            case ResourceSlice slice -> List.of(kind, partitionKey(slice), name);
            case Node node -> List.of(kind, name, name);
            case DeviceClass each -> List.of(kind, "", name);
            case DeviceTaintRule rule -> List.of(kind, "", name);
            case Namespace namespace -> List.of(kind, "", name);
            case ResourceClaim claim -> List.of(kind, object.meta().namespace(), name);
            case ResourceClaimTemplate template -> List.of(kind, object.meta().namespace(), name);
            case Pod pod -> List.of(kind, object.meta().namespace(), name);
            case PodGroup group -> List.of(kind, object.meta().namespace(), name);
        };
    }

    private static String partitionKey(ResourceSlice slice) {
        return slice.scope() instanceof NodeScope.SingleNode on ? on.node() : slice.pool();
    }

    private static InventoryRecord.Builder inventory(Stamp stamp, String uid) {
        return InventoryRecord.newBuilder()
                .setSource(stamp.source())
                .setEpoch(stamp.epoch())
                .setVersion(stamp.version())
                .setListVersion(stamp.listVersion())
                .setUid(uid);
    }

    private static ClaimsRecord.Builder claims(Stamp stamp, String uid) {
        return ClaimsRecord.newBuilder()
                .setSource(stamp.source())
                .setEpoch(stamp.epoch())
                .setVersion(stamp.version())
                .setListVersion(stamp.listVersion())
                .setUid(uid)
                .setWaitForConsumer(AllocationTimingCodec.to(stamp.timing()));
    }
}
