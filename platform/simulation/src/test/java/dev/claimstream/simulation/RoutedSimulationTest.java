package dev.claimstream.simulation;

import static dev.claimstream.simulation.RoutedFleet.node;
import static dev.claimstream.simulation.SampleFleet.GPU_CLASS;
import static dev.claimstream.simulation.SampleFleet.atLeast;
import static dev.claimstream.simulation.SampleFleet.claim;
import static dev.claimstream.simulation.SampleFleet.pod;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.claimstream.allocation.cell.ItemId;
import dev.claimstream.allocation.cell.ItemOutcome;
import dev.claimstream.allocation.cell.Row;
import dev.claimstream.dra.ObjectKey;
import java.util.List;
import java.util.Random;
import java.util.SortedMap;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Simulations on two cells, which a router has filled. */
final class RoutedSimulationTest {
    private static SimulationResult run(RoutedFleet fleet, SimulationRequest request) {
        List<SortedMap<String, Row>> before = fleet.rows();
        SimulationResult result = new Simulation(fleet.simulated()).run(request);
        assertThat(fleet.rows()).isEqualTo(before);
        return result;
    }

    private static SimulationRequest objects(String... manifests) {
        return SimulationRequest.none().withObjects(SampleFleet.objects(manifests));
    }

    private static String text(SimulationResult result, ItemOutcome each) {
        return "%s %s cell %s"
                .formatted(
                        each.item(),
                        each.node().orElse("pending"),
                        result.allocatingCells().get(each.item()));
    }

    @Test
    void asksCellWithMostFreeDevicesFirst() {
        RoutedFleet fleet = twoCells();
        SimulationResult result =
                run(fleet, objects(pod("one", "one"), claim("one", 4, ""), claim("two", 4, ""), claim("three", 4, "")));
        assertThat(result.requested())
                .extracting(each -> text(result, each))
                .containsExactly(
                        "pod ml/one node-2 cell 1", "claim ml/two node-1 cell 0", "claim ml/three node-2 cell 1");
        assertThat(result.cells()).extracting(each -> each.usage().devices()).containsExactly(5L, 8L);
        assertThat(result.before()).isEqualTo(new FleetUsage(3, 13, 0, 8, 0, 0));
        assertThat(result.after().used()).isEqualTo(12);
        assertThat(SimulationText.of(result))
                .contains("2 cells, asked in the order of their free devices", "  cell 1: 1 nodes, 0 of 8", "(cell 0)");
        assertThat(SimulationJson.of(result).json()).contains("\"cell\":1", "\"cells\":[{\"asOf\":");
    }

    private static RoutedFleet twoCells(String... more) {
        var fleet = new RoutedFleet(2, GPU_CLASS, node(0, "node-1", 4), node(1, "node-2", 8), node(0, "node-3", 1));
        fleet.add(more);
        return fleet;
    }

    @Test
    void namesNearestCellOfClaimThatFitsInNone() {
        SimulationResult result = run(twoCells(), objects(claim("huge", 9, ""), claim("other", 1, atLeast("80Gi"))));
        assertThat(result.fits()).isFalse();
        assertThat(result.requested().getFirst().message()).endsWith("the nearest of 2)");
        assertThat(result.requested()).noneMatch(ItemOutcome::isAllocated);
        assertThat(result.allocatingCells()).isEmpty();
        assertThat(result.after().pending()).isEqualTo(2);
    }

    @Test
    void movesPodsOfDrainedNodeToOtherCell() {
        RoutedFleet fleet = twoCells(claim("a", 4, ""), claim("b", 4, ""), claim("c", 4, ""), pod("c", "c"));
        assertThat(fleet.cell(0).freeDevices()).isEqualTo(1);
        SimulationResult none = run(fleet, SimulationRequest.none().withDrainedNode("node-1"));
        assertThat(none.evicted()).singleElement().matches(each -> !each.isAllocated());
        SimulationResult result =
                run(fleet, SimulationRequest.none().withDrainedNode("node-1").withAddedNodes("node-2", 1));
        assertThat(result.evicted())
                .singleElement()
                .extracting(each -> text(result, each))
                .asString()
                .endsWith(" node-2-added-1 cell 1");
    }

    @Test
    void allocatesPendingClaimsOnAddedNode() {
        RoutedFleet fleet = twoCells(claim("a", 8, ""), claim("late", 8, ""));
        SimulationResult result = run(fleet, SimulationRequest.none().withAddedNodes("type-1", 1));
        assertThat(result.before().pending()).isEqualTo(1);
        assertThat(result.others())
                .extracting(each -> text(result, each))
                .containsExactly("claim ml/late node-2-added-1 cell 1");
        assertThat(result.after().pending()).isZero();
    }

    @Test
    void namesShapesOfAllCells() {
        SimulationResult result =
                run(twoCells(claim("a", 8, "")), objects(claim("one", 6, "")).withShapes());
        assertThat(result.shapes())
                .extracting(each -> "%s %s".formatted(each.shape(), each.fits()))
                .containsExactly("type-0 []", "type-1 [claim ml/one]");
    }

    @Test
    void rejectsUnknownNode() {
        assertThatThrownBy(() -> run(twoCells(), SimulationRequest.none().withDrainedNode("node-9")))
                .hasMessage("there is no node node-9: claimstream get nodes lists all nodes");
    }

    static LongStream seeds() {
        return LongStream.range(0, Integer.getInteger("simulation.seeds", 20));
    }

    /** A claim that the simulation allocates is allocated by router and cells, and the other way round. */
    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void agreesWithRouterAndCells(long seed) {
        var random = new Random(seed);
        var fleet = new RoutedFleet(3, GPU_CLASS);
        for (int i = 0; i < 9; i++) {
            fleet.add(node(random.nextInt(3), "node-" + i, 1 + random.nextInt(6)));
        }
        for (int i = 0; i < 12; i++) {
            String name = "claim-" + i;
            String claim = claim(name, 1 + random.nextInt(5), "");
            SimulationResult result = run(fleet, objects(claim));
            fleet.add(claim);
            var item = ItemId.claim(new ObjectKey("ml", name));
            assertThat(result.requested().getFirst().isAllocated())
                    .as("seed %d, %s: %s", seed, name, result.requested())
                    .isEqualTo(isAllocated(fleet, item));
        }
    }

    private static boolean isAllocated(RoutedFleet fleet, ItemId item) {
        return List.of(0, 1, 2).stream()
                .flatMap(cell -> ItemOutcome.of(fleet.cell(cell), item).stream())
                .anyMatch(ItemOutcome::isAllocated);
    }
}
