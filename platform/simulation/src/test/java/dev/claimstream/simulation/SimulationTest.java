package dev.claimstream.simulation;

import static dev.claimstream.simulation.SampleFleet.GPU_CLASS;
import static dev.claimstream.simulation.SampleFleet.atLeast;
import static dev.claimstream.simulation.SampleFleet.claim;
import static dev.claimstream.simulation.SampleFleet.node;
import static dev.claimstream.simulation.SampleFleet.pod;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.claimstream.allocation.cell.Cell;
import dev.claimstream.allocation.cell.ItemOutcome;
import dev.claimstream.allocation.cell.Row;
import dev.claimstream.allocation.solver.PlacementPolicy;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

final class SimulationTest {
    /** Two nodes with four GPUs each; two pods use three GPUs of node-1. */
    private static Cell fleet() {
        return SampleFleet.cell(
                GPU_CLASS,
                node("node-1", "small", 4, "40Gi"),
                node("node-2", "small", 4, "40Gi"),
                node("node-3", "big", 2, "80Gi"),
                claim("a", 2, "device.attributes[\"gpu.example.com\"].model == \"m40Gi\""),
                pod("a", "a"),
                claim("b", 1, "device.attributes[\"gpu.example.com\"].model == \"m40Gi\""),
                pod("b", "b"));
    }

    private static SimulationResult run(Cell cell, SimulationRequest request) {
        SortedMap<String, Row> before = new TreeMap<>(cell.state().rows());
        SimulationResult result = new Simulation(cell, SampleFleet.AT, -1).run(request);
        assertThat(cell.state().rows()).isEqualTo(before);
        return result;
    }

    @Test
    void placesRequestedPodsAndUndoesThem() {
        SimulationResult result = run(
                fleet(),
                SimulationRequest.none()
                        .withObjects(
                                SampleFleet.objects(pod("fits", "fits"), claim("fits", 4, ""), claim("huge", 8, ""))));
        assertThat(result.requested())
                .extracting(each -> "%s %s".formatted(each.item(), each.node().orElse("pending")))
                .containsExactly("pod ml/fits node-2", "claim ml/huge pending");
        assertThat(result.fits()).isFalse();
        assertThat(result.isComplete()).isTrue();
        assertThat(result.before()).isEqualTo(new FleetUsage(3, 10, 3, 4, 1, 0));
        assertThat(result.after()).isEqualTo(new FleetUsage(3, 10, 7, 2, 1, 1));
        assertThat(result.before().usedPercent()).isEqualTo(30);
        assertThat(result.after().fragmentationPercent()).isEqualTo(33);
    }

    @Test
    void movesPodsOfDrainedNode() {
        SimulationResult result = run(fleet(), SimulationRequest.none().withDrainedNode("node-1"));
        assertThat(result.evicted())
                .extracting(each -> "%s %s".formatted(each.item(), each.node().orElse("pending")))
                .containsExactly("pod ml/a node-2", "pod ml/b node-2");
        assertThat(result.fits()).isTrue();
        assertThat(result.after().nodes()).isEqualTo(2);
    }

    @Test
    void reportsPodsThatFitNowhereAfterDrain() {
        SimulationResult result =
                run(fleet(), SimulationRequest.none().withDrainedNode("node-1").withDrainedNode("node-2"));
        assertThat(result.evicted()).hasSize(2).noneMatch(ItemOutcome::isAllocated);
        assertThat(result.fits()).isFalse();
    }

    @Test
    void allocatesPendingClaimOnAddedNode() {
        Cell cell = SampleFleet.cell(
                GPU_CLASS, node("node-1", "small", 2, "40Gi"), claim("a", 2, ""), claim("late", 2, ""));
        SimulationResult result = run(cell, SimulationRequest.none().withAddedNodes("small", 2));
        assertThat(result.others())
                .extracting(each -> "%s %s".formatted(each.item(), each.node().orElse("pending")))
                .containsExactly("claim ml/late node-1-added-1");
        assertThat(result.before().pending()).isEqualTo(1);
        assertThat(result.after()).isEqualTo(new FleetUsage(3, 6, 4, 2, 0, 0));
    }

    @Test
    void namesShapesOnWhichPodWouldFit() {
        SimulationResult result = run(
                fleet(),
                SimulationRequest.none()
                        .withObjects(
                                SampleFleet.objects(claim("one", 4, atLeast("40Gi")), claim("two", 4, atLeast("40Gi"))))
                        .withShapes());
        assertThat(result.shapes())
                .extracting(each -> "%s %s %s".formatted(each.shape(), each.node(), each.fits()))
                .containsExactly("big node-3 []", "small node-1 [claim ml/two]");
    }

    /** Serial numbers and addresses make no shape. */
    @Test
    void groupsNodesWithoutInstanceTypeByLikeDevices() {
        Cell cell = SampleFleet.cell(
                GPU_CLASS,
                serial(node("node-1", "", 2, "40Gi")),
                serial(node("node-2", "", 2, "40Gi")),
                serial(node("node-3", "", 1, "80Gi")));
        assertThat(NodeCopies.shapes(cell.state())).containsOnlyKeys("node-1", "node-3");
    }

    private static String serial(String node) {
        return node.replaceFirst("node.kubernetes.io/instance-type: , ", "")
                .replace("attributes: {", "attributes: {serial: {string: s%d}, ".formatted(node.hashCode()));
    }

    @Test
    void appliesPolicyOfRequest() {
        Cell cell = SampleFleet.cell(GPU_CLASS, node("node-1", "small", 4, "40Gi"), node("node-2", "big", 1, "40Gi"));
        SimulationRequest request = SimulationRequest.none().withObjects(SampleFleet.objects(claim("one", 1, "")));
        assertThat(run(cell, request).requested().getFirst().node()).contains("node-2");
        assertThat(run(cell, request.withPolicy(PlacementPolicy.FIRST_FIT))
                        .requested()
                        .getFirst()
                        .node())
                .contains("node-1");
    }

    @Test
    void rejectsUnknownNodesAndShapes() {
        assertThatThrownBy(() -> run(fleet(), SimulationRequest.none().withDrainedNode("node-9")))
                .isInstanceOf(InvalidSimulationException.class)
                .hasMessage("there is no node node-9: claimstream get nodes lists all nodes");
        assertThatThrownBy(() -> run(fleet(), SimulationRequest.none().withAddedNodes("huge", 1)))
                .isInstanceOf(InvalidSimulationException.class)
                .hasMessage("there is no node and no instance type huge: use big, small");
        assertThatThrownBy(() -> SimulationRequest.none().withAddedNodes("small", 0))
                .hasMessageContaining("use 1 or more");
    }

    @Test
    void printsUsageBeforeAndAfter() {
        SimulationResult result = run(
                fleet(), SimulationRequest.none().withObjects(SampleFleet.objects(claim("one", 1, atLeast("80Gi")))));
        assertThat(SimulationText.of(result)).isEqualTo("""
                simulated on the state of 2026-03-01T12:00:00Z (UTC), policy best-fit; nothing was changed
                requested: 1 allocated, 0 pending
                  claim ml/one: on node-3, node-3/gpu-0
                                                     before        after
                nodes                                     3            3
                devices                                  10           10
                devices in use                     3 (30 %)     4 (40 %)
                most free devices on one node             4            4
                free on partly used nodes          1 (14 %)     2 (33 %)
                pending items                             0            0
                """);
        assertThat(SimulationJson.of(result).json()).contains("\"fits\":true", "\"usedPercent\":40");
    }
}
