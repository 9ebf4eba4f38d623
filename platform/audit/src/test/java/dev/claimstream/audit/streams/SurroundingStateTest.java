package dev.claimstream.audit.streams;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.allocation.cell.Cell;
import dev.claimstream.allocation.cell.CellSettings;
import dev.claimstream.allocation.cell.Decision;
import dev.claimstream.allocation.cell.Decision.DecisionResult;
import dev.claimstream.allocation.cell.Input;
import dev.claimstream.allocation.cell.ItemId;
import dev.claimstream.allocation.cell.Observation;
import dev.claimstream.allocation.cell.Stamp;
import dev.claimstream.allocation.cell.State;
import dev.claimstream.allocation.solver.Reason;
import dev.claimstream.dra.Allocation;
import dev.claimstream.dra.AllocationMode;
import dev.claimstream.dra.ClaimConsumer;
import dev.claimstream.dra.ClaimSpec;
import dev.claimstream.dra.ClusterObject;
import dev.claimstream.dra.Device;
import dev.claimstream.dra.DeviceClass;
import dev.claimstream.dra.DeviceId;
import dev.claimstream.dra.DeviceRequest;
import dev.claimstream.dra.DeviceResult;
import dev.claimstream.dra.Node;
import dev.claimstream.dra.NodeScope;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.ObjectMeta;
import dev.claimstream.dra.Pod;
import dev.claimstream.dra.PodClaim;
import dev.claimstream.dra.RequestSpec;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.dra.ResourceSlice;
import dev.claimstream.schemas.LedgerEvent;
import dev.claimstream.selectors.CelSelectors;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The lines of a cell with one node, a claim in use and a pending claim. */
final class SurroundingStateTest {
    private static final Instant AT = Instant.parse("2026-03-01T12:00:00Z");
    private static final String DRIVER = "gpu.example.com";

    private final Cell cell = new Cell(new State(new CelSelectors()));
    private final LedgerChain chain = new LedgerChain(0, ByteBuffer.allocate(0));
    private long version;

    private void addCluster() {
        step(new Observation.SettingsChanged(CellSettings.defaults()));
        upsert(new DeviceClass(
                ObjectMeta.of("", "gpu", "uid-gpu"),
                List.of("device.driver == '" + DRIVER + "'"),
                List.of(),
                Optional.empty()));
        upsert(new Node(ObjectMeta.of("", "node-1", "uid-node-1"), List.of(), false, true));
        upsert(ResourceSlice.builder(ObjectMeta.of("", "slice-1", "uid-slice-1"), DRIVER, "node-1")
                .generation(1)
                .scope(new NodeScope.SingleNode("node-1"))
                .devices(IntStream.range(0, 3)
                        .mapToObj(i -> Device.of("gpu-" + i, new TreeMap<>(), new TreeMap<>()))
                        .toList())
                .build());
        upsert(pod("train", Optional.of("node-1"), "used"));
        upsert(claim(
                "used", 1, Optional.of(allocation("node-1", 0)), List.of(ClaimConsumer.pod("train", "uid-train"))));
        upsert(pod("wait", Optional.empty(), "pending"));
        upsert(claim("pending", 3, Optional.empty(), List.of()));
    }

    private void upsert(ClusterObject object) {
        step(new Observation.ObjectUpserted(new Stamp("watcher", 1, ++version), object));
    }

    private void step(Observation observation) {
        cell.step(new Input(cell.state().count().offset() + 1, AT, observation));
    }

    private static Pod pod(String name, Optional<String> node, String claim) {
        return Pod.builder(ObjectMeta.of("team", name, "uid-" + name))
                .nodeName(node)
                .resourceClaims(List.of(new PodClaim("gpus", new PodClaim.ClaimSource.ClaimReference(claim))))
                .build();
    }

    private static ResourceClaim claim(
            String name, long devices, Optional<Allocation> allocation, List<ClaimConsumer> reservedFor) {
        var spec = new RequestSpec("gpu", List.of(), AllocationMode.EXACT_COUNT, devices, List.of(), new TreeMap<>());
        return new ResourceClaim(
                ObjectMeta.of("team", name, "uid-" + name),
                new ClaimSpec(List.of(new DeviceRequest.Exactly("gpus", spec, Optional.empty())), List.of(), List.of()),
                allocation,
                reservedFor);
    }

    private static Allocation allocation(String pool, int device) {
        return new Allocation(
                List.of(DeviceResult.of("gpus", new DeviceId(DRIVER, pool, "gpu-" + device))),
                List.of(),
                Optional.empty(),
                Optional.empty());
    }

    private LedgerEvent event(String claim, DecisionResult result) {
        var key = new ObjectKey("team", claim);
        return chain.decision(
                9, AT, new Decision(key, "uid-" + claim, 7, ItemId.claim(key), result), "engine-of-the-test");
    }

    private LedgerEvent allocated(String claim, String node, int device) {
        return event(claim, new DecisionResult.Allocated(node, allocation(node, device), List.of()));
    }

    @Test
    void describesClaimsNodesAndDevicesThatDiffer() {
        addCluster();
        LedgerEvent common = event("other", new DecisionResult.Pending(Reason.DevicesInUse, "in both results"));
        var cleared = new DecisionResult.Deallocation(
                allocation("node-1", 0), ClaimConsumer.pod("train", "uid-train"), 1, "for pod team/wait");
        assertThat(SurroundingState.lines(
                        cell.state(),
                        List.of(common, event("used", cleared), allocated("pending", "node-1", 1)),
                        List.of(common, allocated("pending", "node-9", 7))))
                .containsExactly(
                        "cell 0: 2 of 3 devices free, pending items: 1",
                        "claim team/used: allocated: gpu.example.com/node-1/gpu-0; pod team/train on node node-1",
                        "claim team/pending: pending (DevicesInUse); pod team/wait without node",
                        "node node-1: 2 of 3 devices of gpu.example.com free: node-1/gpu-1, node-1/gpu-2",
                        "node node-9: not usable: it does not exist, is not ready or is silent",
                        "gpu.example.com/node-1/gpu-0: claim team/used (used by pod team/train)",
                        "gpu.example.com/node-1/gpu-1: free",
                        "gpu.example.com/node-9/gpu-7: not published");
    }

    @Test
    void describesAllEventsIfResultsAreEqual() {
        LedgerEvent event = allocated("new", "node-1", 0);
        assertThat(SurroundingState.lines(cell.state(), List.of(event), List.of(event)))
                .containsExactly(
                        "cell 0: 0 of 0 devices free, pending items: 0",
                        "claim team/new: absent",
                        "node node-1: not usable: it does not exist, is not ready or is silent",
                        "gpu.example.com/node-1/gpu-0: not published");
    }

    @Test
    void limitsLines() {
        List<LedgerEvent> recorded = IntStream.range(0, 9)
                .mapToObj(i -> allocated("claim-" + i, "node-" + i, i))
                .toList();
        assertThat(SurroundingState.lines(cell.state(), recorded, List.of()))
                .hasSize(1 + 4 + 4 + 1)
                .contains("… and 6 more claims", "… and 6 more nodes")
                .last()
                .asString()
                .endsWith("gpu.example.com/node-7/gpu-7 and 1 more: not published");
    }
}
