package dev.claimstream.allocation.cell;

import static dev.claimstream.allocation.cell.RoutedCluster.allocatingCell;
import static dev.claimstream.allocation.cell.RoutedCluster.cellOf;
import static dev.claimstream.allocation.cell.RoutedCluster.pendingReason;
import static dev.claimstream.allocation.cell.RoutedCluster.toCell;
import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.allocation.router.Router;
import dev.claimstream.allocation.router.RouterOutput;
import dev.claimstream.allocation.router.RouterState;
import dev.claimstream.allocation.sample.ClaimText;
import dev.claimstream.allocation.sample.SampleObjects;
import dev.claimstream.dra.Allocation;
import dev.claimstream.dra.ClusterObject;
import dev.claimstream.dra.DeviceId;
import dev.claimstream.dra.DeviceResult;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.Node;
import dev.claimstream.dra.NodeSelector;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.ObjectMeta;
import dev.claimstream.dra.ResourceClaim;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the assignment of nodes and pools to cells, and their moves between cells. */
class CellPlacementTest {
    private final RoutedCluster cluster = new RoutedCluster();
    private final SimulatedApiServer apiServer = cluster.apiServer;

    @Test
    void placesNodeByLabelOrInSmallestCell() {
        var simulation = cluster.simulate(3);
        cluster.node("a", "2", 1);
        cluster.node("b", "", 1);
        cluster.node("c", "", 1);
        cluster.node("d", "9", 1);
        cluster.settle(simulation);
        assertThat(List.of(cellOf(simulation, "a"), cellOf(simulation, "b"), cellOf(simulation, "c")))
                .containsExactly(2, 0, 1);
        assertThat(cellOf(simulation, "d")).as("a label that names no cell").isEqualTo(0);
    }

    @Test
    void movesNodeOnlyWithoutDevicesInUse() {
        var simulation = cluster.simulate(2);
        cluster.node("a", "0", 1);
        cluster.node("b", "1", 0);
        var claim = cluster.claim("c", "r: 1 gpu");
        cluster.settle(simulation);
        assertThat(allocatingCell(simulation, ItemId.claim(claim.key()))).contains(0);

        cluster.node("a", "1", 1);
        cluster.settle(simulation);
        assertThat(cellOf(simulation, "a")).as("its device is held").isEqualTo(0);

        apiServer.delete(Kind.RESOURCE_CLAIM, claim.key(), true);
        cluster.settle(simulation);
        assertThat(cellOf(simulation, "a")).isEqualTo(1);
        var next = cluster.claim("d", "r: 1 gpu");
        cluster.settle(simulation);
        assertThat(allocatingCell(simulation, ItemId.claim(next.key()))).contains(1);
    }

    @Test
    void movesNodeAfterClaimOfOtherAllocatorIsCleared() {
        var simulation = cluster.simulate(2);
        cluster.node("a", "0", 1);
        cluster.node("b", "1", 0);
        ResourceClaim claim = cluster.claim("c", "r: 1 gpu");
        cluster.settle(simulation);
        Allocation allocation = simulation
                .cell(0)
                .decidedAllocation(claim.meta().uid())
                .orElseThrow()
                .allocation();
        apiServer.delete(Kind.RESOURCE_CLAIM, claim.key(), true);
        var other = new ResourceClaim(
                ObjectMeta.of("default", "other", apiServer.nextUid()),
                claim.spec(),
                Optional.of(allocation),
                List.of());
        apiServer.write(other);
        cluster.settle(simulation);

        cluster.node("a", "1", 1);
        cluster.settle(simulation);
        assertThat(cellOf(simulation, "a")).as("its device is held").isEqualTo(0);

        apiServer.write(new ResourceClaim(other.meta(), other.spec(), Optional.empty(), List.of()));
        cluster.settle(simulation);
        assertThat(cellOf(simulation, "a")).isEqualTo(1);
    }

    /** The list may contain an earlier version of the node, and ends before the node is in its new cell. */
    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16})
    void keepsMovedNodeAfterLaggingList(long seed) {
        apiServer.write(SampleObjects.deviceClass("gpu", "kind=gpu"));
        var simulation = new MultiCellSimulation(2, seed);
        cluster.node("moves", "0", 1);
        cluster.settle(simulation);
        cluster.node("moves", "1", 2);
        apiServer.relist(Kind.NODE, new Random(seed), true, 1);
        apiServer.relist(Kind.RESOURCE_SLICE, new Random(seed), true, 1);
        cluster.settle(simulation);
        assertThat(cellOf(simulation, "moves")).isEqualTo(1);
        assertThat(List.of(
                        knownObjects(simulation, Kind.NODE, ObjectKey.cluster("moves")),
                        knownObjects(simulation, Kind.RESOURCE_SLICE, ObjectKey.cluster("moves-slice"))))
                .isEqualTo(List.of(apiServer.objectsOf(Kind.NODE), apiServer.objectsOf(Kind.RESOURCE_SLICE)));
    }

    /** The object as the second cell knows it. */
    private static List<ClusterObject> knownObjects(MultiCellSimulation simulation, Kind kind, ObjectKey key) {
        return simulation.cell(1).object(kind, key).flatMap(ObservedRow.ObjectRow::content).stream()
                .toList();
    }

    /** The cell receives the listed node before the end of the list, although a handover was pending. */
    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16})
    void keepsRetainedNodeAfterLaggingList(long seed) {
        MultiCellSimulation simulation = simulationWithAllocatedNode(seed);
        apiServer.write(SampleObjects.node("b", "x=y"));
        apiServer.write(SampleObjects.slice("net", "net", 1, 1, "*", "nic-0 kind=nic"));
        apiServer.relist(Kind.NODE, new Random(seed), true, 1);
        cluster.settle(simulation);
        assertThat(cellOf(simulation, "b")).as("its device is held").isEqualTo(1);
        assertThat(knownObjects(simulation, Kind.NODE, ObjectKey.cluster("b")))
                .isEqualTo(List.of(apiServer
                        .find(Kind.NODE, ObjectKey.cluster("b"), Node.class)
                        .orElseThrow()));
    }

    private MultiCellSimulation simulationWithAllocatedNode(long seed) {
        apiServer.write(SampleObjects.deviceClass("gpu", "kind=gpu"));
        var simulation = new MultiCellSimulation(2, seed);
        cluster.node("a", "0", 0);
        cluster.node("b", "1", 1);
        cluster.claim("c", "r: 1 gpu");
        cluster.settle(simulation);
        return simulation;
    }

    @Test
    void delaysEndOfListForEarlierHandoversOnly() {
        apiServer.write(SampleObjects.deviceClass("gpu", "kind=gpu"));
        cluster.node("a", "0", 1);
        cluster.node("b", "0", 1);
        var router = new Router(new RouterState(2));
        cluster.observations.forEach(observation -> cluster.route(router, observation));
        assertThat(cluster.route(router, nodeUpsert("a", 10)))
                .containsExactly(toCell(0, nodeUpsert("a", 10)), toCell(0, new Observation.NodeHandover("a", 1)));
        var end = new Observation.KindSynced(new Stamp(SimulatedApiServer.SOURCE, 1, 11), Kind.NODE, 0, 1);
        var stale = new Observation.KindStale(new Stamp(SimulatedApiServer.SOURCE, 1, 0), Kind.NODE);
        assertThat(cluster.route(router, nodeUpsert("a", 11))).isEmpty();
        assertThat(cluster.route(router, end)).isEmpty();
        assertThat(cluster.route(router, stale)).isEmpty();

        assertThat(cluster.route(router, nodeUpsert("b", 12))).hasSize(2);
        assertThat(cluster.route(router, nodeUpsert("b", 13))).isEmpty();
        assertThat(cluster.report(router, new CellReport.NodeRetained("a", 1)))
                .containsExactly(
                        toCell(0, nodeUpsert("a", 11)),
                        toCell(0, new Observation.NodeHandover("a", 7)),
                        new RouterOutput.CellObservation(new TreeSet<>(List.of(0, 1)), end),
                        new RouterOutput.CellObservation(new TreeSet<>(List.of(0, 1)), stale));
        assertThat(cluster.report(router, new CellReport.NodeRetained("b", 5)))
                .contains(toCell(0, nodeUpsert("b", 13)));
    }

    @Test
    void retriesTransferOnlyAfterReleaseInCell() {
        apiServer.write(SampleObjects.deviceClass("gpu", "kind=gpu"));
        cluster.node("a", "0", 1);
        cluster.node("b", "1", 1);
        var router = new Router(new RouterState(2));
        cluster.observations.forEach(observation -> cluster.route(router, observation));
        assertThat(handovers(cluster.route(router, nodeUpsert("a", 100)))).hasSize(1);
        cluster.report(router, new CellReport.NodeRetained("a", 1));

        assertThat(handovers(deletionOf(router, "pending", Optional.empty()))).isEmpty();
        assertThat(handovers(deletionOf(router, "elsewhere", Optional.of("b")))).isEmpty();
        assertThat(handovers(deletionOf(router, "here", Optional.of("a")))).hasSize(1);
    }

    private static List<RouterOutput> handovers(List<RouterOutput> outputs) {
        return outputs.stream()
                .filter(output -> output instanceof RouterOutput.CellObservation sent
                        && sent.observation() instanceof Observation.NodeHandover)
                .toList();
    }

    /** Creates and deletes a claim, with a device of a node if there is one. */
    private List<RouterOutput> deletionOf(Router router, String name, Optional<String> node) {
        var claim = new ResourceClaim(
                ObjectMeta.of("default", name, apiServer.nextUid()),
                ClaimText.spec("r: 1 gpu"),
                node.map(each -> new Allocation(
                        List.of(DeviceResult.of("r", new DeviceId(SampleObjects.DRIVER, each, "gpu-0"))),
                        List.of(),
                        Optional.of(NodeSelector.ofNode(each)),
                        Optional.empty())),
                List.of());
        apiServer.write(claim);
        cluster.route(router, cluster.observations.getLast());
        apiServer.delete(Kind.RESOURCE_CLAIM, claim.key(), true);
        return cluster.route(router, cluster.observations.getLast());
    }

    private static Observation nodeUpsert(String node, long version) {
        return new Observation.ObjectUpserted(
                new Stamp(SimulatedApiServer.SOURCE, 1, version), SampleObjects.node(node, "claimstream.dev/cell=1"));
    }

    @Test
    void doesNotMoveNodeAfterStaleRecord() {
        var simulation = cluster.simulate(2);
        cluster.node("a", "0", 1);
        Observation old = cluster.observations.get(1);
        cluster.settle(simulation);
        cluster.node("a", "1", 1);
        cluster.settle(simulation);
        simulation.observe(old);
        cluster.settle(simulation);
        assertThat(cellOf(simulation, "a")).isEqualTo(1);
    }

    @Test
    void deletesSliceAfterStaleRecordOfFormerPool() {
        var simulation = cluster.simulate(2);
        cluster.node("a", "0", 0);
        cluster.node("b", "1", 0);
        apiServer.write(SampleObjects.slice("changes", "first", 1, 1, "a", "gpu-7 kind=gpu"));
        Observation old = cluster.observations.getLast();
        cluster.settle(simulation);
        apiServer.write(SampleObjects.slice("changes", "second", 1, 1, "b", "gpu-8 kind=gpu"));
        cluster.settle(simulation);
        simulation.observe(old);
        cluster.settle(simulation);
        assertThat(knownObjects(simulation, Kind.RESOURCE_SLICE, ObjectKey.cluster("changes")))
                .hasSize(1);

        apiServer.delete(Kind.RESOURCE_SLICE, ObjectKey.cluster("changes"), true);
        cluster.settle(simulation);
        assertThat(knownObjects(simulation, Kind.RESOURCE_SLICE, ObjectKey.cluster("changes")))
                .isEmpty();
    }

    @Test
    void keepsNodesTogetherAfterStaleSliceDeletion() {
        var simulation = cluster.simulate(3);
        cluster.node("a", "2", 1);
        apiServer.write(SampleObjects.slice("net", "net", 1, 1, "*", "gpu-9 kind=gpu"));
        apiServer.delete(Kind.RESOURCE_SLICE, ObjectKey.cluster("net"), true);
        Observation old = cluster.observations.getLast();
        apiServer.write(SampleObjects.slice("net", "net", 2, 1, "*", "gpu-9 kind=gpu"));
        cluster.settle(simulation);
        simulation.observe(old);
        cluster.node("b", "", 1);
        cluster.settle(simulation);
        assertThat(cellOf(simulation, "b")).isEqualTo(cellOf(simulation, "a"));
    }

    @Test
    void movesNodesOfCommonPoolIntoOneCell() {
        var simulation = cluster.simulate(2);
        cluster.node("a", "", 1);
        cluster.node("b", "", 1);
        cluster.settle(simulation);
        assertThat(cellOf(simulation, "a")).isNotEqualTo(cellOf(simulation, "b"));
        apiServer.write(SampleObjects.slice("net", "net", 1, 1, "*", "gpu-9 kind=gpu"));
        cluster.settle(simulation);
        assertThat(cellOf(simulation, "a")).isEqualTo(cellOf(simulation, "b"));
        cluster.node("c", "", 1);
        cluster.settle(simulation);
        assertThat(cellOf(simulation, "c")).isEqualTo(cellOf(simulation, "a"));
    }

    /** Two nodes in two cells. The second node can access a network pool. */
    private MultiCellSimulation simulationWithNetworkPool() {
        MultiCellSimulation simulation = cluster.simulate(2);
        apiServer.write(SampleObjects.deviceClass("net", "kind=net"));
        cluster.node("a", "", 1);
        apiServer.write(SampleObjects.node("b", "zone=b"));
        apiServer.write(SampleObjects.slice("b-slice", "b", 1, 1, "b", "gpu-0 kind=gpu"));
        apiServer.write(SampleObjects.slice("net-slice", "net", 1, 1, "zone=b", "nic-0 kind=net"));
        cluster.settle(simulation);
        assertThat(cellOf(simulation, "b")).isEqualTo(1);
        return simulation;
    }

    /** Rewrites the nodes, so that their records follow those of their slices. */
    private void rewriteNodes(MultiCellSimulation simulation) {
        apiServer.write(SampleObjects.node("a", "shown=again"));
        apiServer.write(SampleObjects.node("b", "zone=b", "shown=again"));
        cluster.settle(simulation);
    }

    @Test
    void restoresPoolInCellOfItsAllocations() {
        MultiCellSimulation simulation = simulationWithNetworkPool();
        var first = cluster.claim("first", "r: 1 net");
        cluster.settle(simulation);
        apiServer.delete(Kind.NODE, ObjectKey.cluster("b"), true);
        cluster.settle(simulation);

        simulation.rebuild(true);
        apiServer.write(SampleObjects.node("c", "zone=b"));
        var second = cluster.claim("second", "r: 1 net");
        cluster.settle(simulation);
        assertThat(allocatingCell(simulation, ItemId.claim(first.key()))).contains(1);
        assertThat(pendingReason(simulation, ItemId.claim(second.key()))).isPresent();
    }

    @Test
    void restoresUnusedPoolInCellOfItsNodes() {
        MultiCellSimulation simulation = simulationWithNetworkPool();
        cluster.claim("one", "r: 1 gpu");
        cluster.claim("two", "r: 1 gpu");
        cluster.settle(simulation);
        rewriteNodes(simulation);

        simulation.rebuild(true);
        var late = cluster.claim("late", "r: 1 net");
        cluster.settle(simulation);
        assertThat(allocatingCell(simulation, ItemId.claim(late.key()))).contains(1);
    }

    @Test
    void restoresNodeInItsFormerCell() {
        var simulation = cluster.simulate(3);
        cluster.node("a", "1", 1);
        cluster.node("b", "", 1);
        cluster.node("c", "", 1);
        cluster.settle(simulation);
        cluster.node("a", "", 1);
        cluster.settle(simulation);

        simulation.rebuild(true);
        cluster.settle(simulation);
        assertThat(List.of(cellOf(simulation, "a"), cellOf(simulation, "b"), cellOf(simulation, "c")))
                .containsExactly(1, 0, 2);
    }
}
