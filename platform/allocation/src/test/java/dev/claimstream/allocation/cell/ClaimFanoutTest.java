package dev.claimstream.allocation.cell;

import static dev.claimstream.allocation.cell.RoutedCluster.allocatingCell;
import static dev.claimstream.allocation.cell.RoutedCluster.key;
import static dev.claimstream.allocation.cell.RoutedCluster.pendingReason;
import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.allocation.router.Router;
import dev.claimstream.allocation.router.RouterFact;
import dev.claimstream.allocation.router.RouterInput;
import dev.claimstream.allocation.router.RouterOutput;
import dev.claimstream.allocation.router.RouterRow;
import dev.claimstream.allocation.router.RouterState;
import dev.claimstream.allocation.sample.ClaimText;
import dev.claimstream.allocation.sample.SampleObjects;
import dev.claimstream.dra.Allocation;
import dev.claimstream.dra.DeviceId;
import dev.claimstream.dra.DeviceResult;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.Namespace;
import dev.claimstream.dra.ObjectMeta;
import dev.claimstream.dra.Owner;
import dev.claimstream.dra.Pod;
import dev.claimstream.dra.ResourceClaim;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests to which cells the router sends a claim. */
class ClaimFanoutTest {
    private final RoutedCluster cluster = new RoutedCluster();
    private final SimulatedApiServer apiServer = cluster.apiServer;

    private static SortedSet<Integer> cellsWithClaim(MultiCellSimulation simulation, ResourceClaim claim) {
        SortedSet<Integer> cells = new TreeSet<>();
        for (int cell = 0; cell < simulation.cells(); cell++) {
            if (simulation.cell(cell).claim(claim.key()).isPresent()) {
                cells.add(cell);
            }
        }
        return cells;
    }

    private void allocate(ResourceClaim claim, Allocation allocation) {
        apiServer.write(new ResourceClaim(claim.meta(), claim.spec(), Optional.of(allocation), List.of()));
    }

    private static Allocation allocationOf(String node, String device) {
        return new Allocation(
                List.of(DeviceResult.of("r", new DeviceId(SampleObjects.DRIVER, node, device))),
                List.of(),
                Optional.empty(),
                Optional.empty());
    }

    @Test
    void sendsClaimOnlyToCellThatAllocatesIt() {
        var simulation = cluster.simulate(3);
        cluster.node("a", "0", 1);
        cluster.node("b", "1", 5);
        cluster.node("c", "2", 1);
        cluster.settle(simulation);
        var claim = cluster.claim("one", "r: 1 gpu");
        cluster.settle(simulation);
        int cell = allocatingCell(simulation, ItemId.claim(claim.key())).orElseThrow();
        assertThat(cellsWithClaim(simulation, claim)).containsExactly(cell);

        var allocationRow =
                simulation.cell(cell).decidedAllocation(claim.meta().uid()).orElseThrow();
        allocate(claim, allocationRow.allocation());
        cluster.settle(simulation);
        assertThat(cellsWithClaim(simulation, claim))
                .as("what it was given is its own")
                .containsExactly(cell);

        apiServer.delete(Kind.RESOURCE_CLAIM, claim.key(), true);
        cluster.settle(simulation);
        assertThat(cellsWithClaim(simulation, claim)).isEmpty();
        assertThat(simulation.router().fanout(claim.key())).isEmpty();
    }

    @Test
    void sendsUnallocatableClaimToAllCells() {
        var simulation = cluster.simulate(3);
        cluster.node("a", "0", 1);
        var claim = cluster.claim("one", "r: 2 gpu");
        cluster.settle(simulation);
        assertThat(cellsWithClaim(simulation, claim)).containsExactly(0, 1, 2);
    }

    @Test
    void sendsForeignAllocationToAllCells() {
        var simulation = cluster.simulate(3);
        cluster.node("a", "0", 1);
        cluster.node("b", "1", 1);
        cluster.settle(simulation);
        var claim = cluster.claim("unmanaged", "r: 1 gpu");
        allocate(claim, allocationOf("b", "gpu-0"));
        var managed = cluster.claim("managed", "r: 1 gpu");
        cluster.settle(simulation);
        assertThat(cellsWithClaim(simulation, claim)).containsExactly(0, 1, 2);
        assertThat(allocatingCell(simulation, ItemId.claim(managed.key()))).contains(0);
    }

    @Test
    void sendsOverwrittenAllocationToCellOfItsDevices() {
        var simulation = cluster.simulate(2);
        apiServer.write(SampleObjects.deviceClass("net", "kind=net"));
        cluster.node("a", "0", 1);
        apiServer.write(SampleObjects.node("b", "claimstream.dev/cell=1"));
        apiServer.write(SampleObjects.slice("b-slice", "b", 1, 1, "b", "nic-0 kind=net"));
        var claim = cluster.claim("one", "r: 1 gpu");
        cluster.settle(simulation);
        assertThat(cellsWithClaim(simulation, claim)).containsExactly(0);

        allocate(claim, allocationOf("b", "nic-0"));
        var late = cluster.claim("late", "r: 1 net");
        cluster.settle(simulation);
        assertThat(pendingReason(simulation, ItemId.claim(late.key()))).isPresent();
    }

    /** The claim is deleted and recreated before the cell of its pod reports the effect on the pod. */
    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16})
    void sendsRecreatedClaimToCellOfItsPod(long seed) {
        apiServer.write(SampleObjects.deviceClass("gpu", "kind=gpu"));
        var simulation = new MultiCellSimulation(2, seed);
        cluster.node("a", "0", 2);
        cluster.node("b", "1", 1);
        Pod pod = cluster.pod("p", "first", "second");
        cluster.claim("first", "r: 1 gpu");
        cluster.claim("second", "r: 1 gpu");
        cluster.settle(simulation);
        assertThat(allocatingCell(simulation, ItemId.pod(pod.key()))).contains(0);

        apiServer.delete(Kind.RESOURCE_CLAIM, key("second"), true);
        cluster.claim("second", "r: 1 gpu");
        cluster.settle(simulation);
        assertThat(allocatingCell(simulation, ItemId.pod(pod.key()))).contains(0);
    }

    @Test
    void restoresOrphanedClaimInCellThatAllocatedIt() {
        var simulation = cluster.simulate(2);
        cluster.node("a", "0", 1);
        Pod pod = cluster.pod("p", "left");
        var left = new ResourceClaim(
                ObjectMeta.builder("default", "left", apiServer.nextUid())
                        .controller(Optional.of(Owner.pod("p", pod.meta().uid())))
                        .build(),
                ClaimText.spec("r: 1 gpu"),
                Optional.empty(),
                List.of());
        apiServer.write(left);
        cluster.settle(simulation);
        apiServer.delete(Kind.POD, pod.key(), true);
        cluster.settle(simulation);

        simulation.rebuild(true);
        cluster.settle(simulation);
        assertThat(cellsWithClaim(simulation, left)).containsExactly(0);
        apiServer.delete(Kind.RESOURCE_CLAIM, left.key(), true);
        var next = cluster.claim("next", "r: 1 gpu");
        cluster.settle(simulation);
        assertThat(allocatingCell(simulation, ItemId.claim(next.key()))).contains(0);
    }

    @Test
    void sendsAdminAccessAllocationToAllCells() {
        var simulation = cluster.simulate(2);
        cluster.node("a", "0", 1);
        apiServer.write(new Namespace(ObjectMeta.of("", "default", "uid-ns")
                .withLabels(new TreeMap<>(Map.of(Namespace.ADMIN_ACCESS_LABEL, "true")))));
        var claim = cluster.claim("one", "r: 1 gpu admin");
        cluster.settle(simulation);
        assertThat(cellsWithClaim(simulation, claim)).containsExactly(0);
        allocate(
                claim,
                simulation
                        .cell(0)
                        .decidedAllocation(claim.meta().uid())
                        .orElseThrow()
                        .allocation());
        cluster.settle(simulation);
        assertThat(cellsWithClaim(simulation, claim)).containsExactly(0, 1);
    }

    @Test
    void ignoresLateRecordsOfDeletedClaim() {
        var simulation = cluster.simulate(2);
        cluster.node("a", "0", 1);
        var claim = cluster.claim("one", "r: 1 gpu");
        cluster.settle(simulation);
        Observation first = cluster.observations.getLast();
        allocate(
                claim,
                simulation
                        .cell(0)
                        .decidedAllocation(claim.meta().uid())
                        .orElseThrow()
                        .allocation());
        cluster.settle(simulation);
        Observation second = cluster.observations.getLast();
        apiServer.delete(Kind.RESOURCE_CLAIM, claim.key(), true);
        cluster.settle(simulation);
        cluster.observations.add(first);
        cluster.observations.add(second);
        cluster.settle(simulation);
        assertThat(cellsWithClaim(simulation, claim)).isEmpty();
    }

    @Test
    void sendsDeletionToAllCellsWithoutFanoutRow() {
        var simulation = cluster.simulate(2);
        cluster.node("a", "0", 1);
        var claim = cluster.claim("one", "r: 1 gpu");
        cluster.settle(simulation);
        var before = new RouterState(2);
        simulation.router().rows().values().stream()
                .filter(row -> !(row instanceof RouterRow.ClaimFanoutRow))
                .forEach(row -> before.apply(new RouterFact.RouterRowPut(row)));
        apiServer.delete(Kind.RESOURCE_CLAIM, claim.key(), true);
        var deleted = new RouterInput(
                1000, History.START, new RouterInput.RouterEvent.ObservationInput(cluster.observations.getLast()));
        assertThat(new Router(before).step(deleted).outputs())
                .contains(
                        new RouterOutput.CellObservation(new TreeSet<>(List.of(0, 1)), cluster.observations.getLast()));
    }

    /** Another writer allocates a device to a managed claim while the node of that device moves to another cell. */
    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16})
    void sendsForeignAllocationToNewCellOfMovedNode(long seed) {
        apiServer.write(SampleObjects.deviceClass("gpu", "kind=gpu"));
        apiServer.write(SampleObjects.deviceClass("net", "kind=net"));
        var simulation = new MultiCellSimulation(2, seed);
        cluster.node("stays", "0", 1);
        apiServer.write(SampleObjects.node("moves", "claimstream.dev/cell=0"));
        apiServer.write(SampleObjects.slice("moves-slice", "moves", 1, 1, "moves", "nic-0 kind=net"));
        apiServer.write(SampleObjects.node("other", "claimstream.dev/cell=1"));
        var claim = cluster.claim("one", "r: 1 gpu");
        cluster.settle(simulation);
        assertThat(cellsWithClaim(simulation, claim)).containsExactly(0);

        apiServer.write(SampleObjects.node("moves", "claimstream.dev/cell=1"));
        allocate(claim, allocationOf("moves", "nic-0"));
        var late = cluster.claim("late", "r: 1 net");
        cluster.settle(simulation);
        assertThat(pendingReason(simulation, ItemId.claim(late.key()))).isPresent();
    }
}
