package dev.claimstream.allocator.streams;

import dev.claimstream.allocation.cell.CellSettings;
import dev.claimstream.allocation.cell.Stamp;
import dev.claimstream.dra.Allocation;
import dev.claimstream.dra.AllocationMode;
import dev.claimstream.dra.AttributeValue;
import dev.claimstream.dra.ClaimConsumer;
import dev.claimstream.dra.ClaimSpec;
import dev.claimstream.dra.ClusterObject;
import dev.claimstream.dra.Device;
import dev.claimstream.dra.DeviceClass;
import dev.claimstream.dra.DeviceRequest;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.Node;
import dev.claimstream.dra.NodeScope;
import dev.claimstream.dra.ObjectMeta;
import dev.claimstream.dra.Pod;
import dev.claimstream.dra.PodClaim;
import dev.claimstream.dra.RequestSpec;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.dra.ResourceSlice;
import dev.claimstream.schemas.CellInputRecord;
import dev.claimstream.schemas.Origin;
import dev.claimstream.schemas.Rebuild;
import dev.claimstream.wire.PublicRecord;
import dev.claimstream.wire.SettingsCodec;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;

/** Inputs of a cell for a cluster of one node, in the order of the intake. */
final class ClusterInputs {
    static final String DRIVER = "gpu.example.com";
    static final String SOURCE = "watcher";

    private static final int ATTRIBUTES = 24;
    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

    private final List<CellInputRecord> inputs = new ArrayList<>();
    private final List<PublicRecord> published = new ArrayList<>();
    private long version;

    /** All cell inputs so far. */
    List<CellInputRecord> inputs() {
        return List.copyOf(inputs);
    }

    /** Adds settings by which the cell allocates nothing before this source has synced its slices. */
    ClusterInputs withSliceSource() {
        var sources = new TreeMap<Kind, SortedSet<String>>();
        sources.put(Kind.RESOURCE_SLICE, new TreeSet<>(List.of(SOURCE)));
        return add(CellInputRecord.newBuilder()
                .setSettings(
                        SettingsCodec.to(CellSettings.builder().sources(sources).build())));
    }

    /** Enough attributes that a row with a few devices is compressed. */
    private static SortedMap<String, AttributeValue> attributes(int device) {
        var attributes = new TreeMap<String, AttributeValue>();
        for (int number = 0; number < ATTRIBUTES; number++) {
            attributes.put("attribute-" + number, new AttributeValue.StringValue("of-device-" + device));
        }
        return attributes;
    }

    /** Adds a node, a class for all its devices and {@code count} devices, and a sync marker. */
    ClusterInputs withDevices(int count) {
        upsert(nodeOf("node-1"));
        upsert(classOf("gpu", DRIVER));
        upsert(ResourceSlice.builder(ObjectMeta.of("", "slice-1", "uid-slice-1"), DRIVER, "node-1")
                .generation(1)
                .scope(new NodeScope.SingleNode("node-1"))
                .devices(IntStream.range(0, count)
                        .mapToObj(i -> Device.of("gpu-" + i, attributes(i), new TreeMap<>()))
                        .toList())
                .build());
        return published(PublicRecord.syncMarker(stamp(), Kind.RESOURCE_SLICE, 1));
    }

    ClusterInputs claim(String name, long devices) {
        return upsert(claimOf(name, "gpu", devices));
    }

    ClusterInputs pod(String name, String claim) {
        return upsert(Pod.builder(ObjectMeta.of("team", name, "uid-" + name))
                .resourceClaims(List.of(new PodClaim("gpus", new PodClaim.ClaimSource.ClaimReference(claim))))
                .build());
    }

    /** Adds a claim with this status. */
    ClusterInputs status(String name, Optional<Allocation> allocation, List<ClaimConsumer> reservedFor) {
        ResourceClaim claim = claimOf(name, "gpu", 1);
        return upsert(new ResourceClaim(claim.meta(), claim.spec(), allocation, reservedFor));
    }

    ClusterInputs deleteClaim(String name) {
        return published(PublicRecord.deletion(stamp(), claimOf(name, "gpu", 1)));
    }

    /** Adds the start of a rebuild. */
    ClusterInputs rebuild() {
        return add(CellInputRecord.newBuilder().setRebuild(new Rebuild(ByteBuffer.allocate(0))));
    }

    ClusterInputs probe(String id) {
        return published(PublicRecord.probeInventory(stamp(), id, 0, 1));
    }

    /** Creates a ready node. */
    static Node nodeOf(String name) {
        return new Node(ObjectMeta.of("", name, "uid-" + name), List.of(), false, true);
    }

    /** Creates a class of all devices of a driver. */
    static DeviceClass classOf(String name, String driver) {
        return new DeviceClass(
                ObjectMeta.of("", name, "uid-" + name),
                List.of("device.driver == '" + driver + "'"),
                List.of(),
                Optional.empty());
    }

    /** Creates a claim for {@code devices} devices of a class. */
    static ResourceClaim claimOf(String name, String deviceClass, long devices) {
        var spec = new RequestSpec(
                deviceClass, List.of(), AllocationMode.EXACT_COUNT, devices, List.of(), new TreeMap<>());
        return new ResourceClaim(
                ObjectMeta.of("team", name, "uid-" + name),
                new ClaimSpec(List.of(new DeviceRequest.Exactly("gpus", spec, Optional.empty())), List.of(), List.of()),
                Optional.empty(),
                List.of());
    }

    private ClusterInputs upsert(ClusterObject object) {
        return published(PublicRecord.upsert(stamp(), object));
    }

    private Stamp stamp() {
        return new Stamp(SOURCE, 1, ++version);
    }

    /** All published records so far. */
    List<PublicRecord> published() {
        return List.copyOf(published);
    }

    private ClusterInputs published(PublicRecord record) {
        published.add(record);
        return add(
                switch (record) {
                    case PublicRecord.InventoryTopicRecord inventory ->
                        CellInputRecord.newBuilder().setInventory(inventory.value());
                    case PublicRecord.ClaimsTopicRecord claims ->
                        CellInputRecord.newBuilder().setClaims(claims.value());
                });
    }

    private ClusterInputs add(CellInputRecord.Builder input) {
        inputs.add(input.setAt(START.plusSeconds(inputs.size()))
                .setOrigin(new Origin("inventory.v1", 0, 1, (long) inputs.size()))
                .build());
        return this;
    }
}
