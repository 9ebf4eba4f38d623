package dev.claimstream.allocation.cell;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.allocation.router.Router;
import dev.claimstream.allocation.router.RouterInput;
import dev.claimstream.allocation.router.RouterOutput;
import dev.claimstream.allocation.router.RouterRow;
import dev.claimstream.allocation.sample.ClaimText;
import dev.claimstream.allocation.sample.SampleObjects;
import dev.claimstream.allocation.solver.Reason;
import dev.claimstream.dra.Node;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.ObjectMeta;
import dev.claimstream.dra.Pod;
import dev.claimstream.dra.PodClaim;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.dra.ResourceList;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;

/** A simulated cluster as input of a router and its cells. */
final class RoutedCluster {
    final List<Observation> observations = new ArrayList<>();
    final SimulatedApiServer apiServer = new SimulatedApiServer(observations);
    private int consumed;

    /** Creates cells with one open offer each, and the DeviceClass gpu. */
    MultiCellSimulation simulate(int cells) {
        apiServer.write(SampleObjects.deviceClass("gpu", "kind=gpu"));
        return new MultiCellSimulation(cells, 1, 1);
    }

    /** Sends new observations, runs router and cells until they are idle, and checks that no item is overlooked. */
    void settle(MultiCellSimulation simulation) {
        for (; consumed < observations.size(); consumed++) {
            simulation.observe(observations.get(consumed));
        }
        simulation.settle();
        assertThat(simulation.findOmissions()).isEmpty();
    }

    /**
     * Writes a node and its pool.
     *
     * @param label cell of the node; empty for none
     */
    void node(String name, String label, int devices) {
        apiServer.write(
                label.isEmpty() ? SampleObjects.node(name) : SampleObjects.node(name, "claimstream.dev/cell=" + label));
        String[] texts = new String[devices];
        Arrays.setAll(texts, i -> "gpu-%d kind=gpu".formatted(i));
        apiServer.write(SampleObjects.slice(name + "-slice", name, 1, 1, name, texts));
    }

    static ObjectKey key(String name) {
        return new ObjectKey("default", name);
    }

    ResourceClaim claim(String name, String wants) {
        var claim = new ResourceClaim(
                ObjectMeta.of("default", name, apiServer.nextUid()),
                ClaimText.spec(wants),
                Optional.empty(),
                List.of());
        apiServer.write(claim);
        return claim;
    }

    void nodeWithResources(String name, String label, String resources) {
        node(name, label, 1);
        Node plain = SampleObjects.node(name, "claimstream.dev/cell=" + label);
        apiServer.write(
                new Node(plain.meta(), List.of(), false, true, List.of(), ItemSentences.parseResources(resources)));
    }

    Pod pod(String name, String... claims) {
        return pod(name, ResourceList.none(), claims);
    }

    /** Writes a pod that is bound to a node. */
    Pod boundPod(String name, String node, String claim) {
        return pod(name, Optional.of(node), ResourceList.none(), claim);
    }

    Pod pod(String name, ResourceList requests, String... claims) {
        return pod(name, Optional.empty(), requests, claims);
    }

    private Pod pod(String name, Optional<String> node, ResourceList requests, String... claims) {
        List<PodClaim> podClaims = new ArrayList<>();
        for (String claim : claims) {
            podClaims.add(new PodClaim("use-" + podClaims.size(), new PodClaim.ClaimSource.ClaimReference(claim)));
        }
        var pod = Pod.builder(ObjectMeta.of("default", name, apiServer.nextUid()))
                .nodeName(node)
                .resourceClaims(podClaims)
                .requests(requests)
                .build();
        apiServer.write(pod);
        return pod;
    }

    static Optional<Integer> allocatingCell(MultiCellSimulation simulation, ItemId item) {
        return simulation
                .router()
                .item(item)
                .map(RouterRow.ItemLocationRow::location)
                .filter(RouterRow.ItemLocation.AllocatedInCell.class::isInstance)
                .map(at -> ((RouterRow.ItemLocation.AllocatedInCell) at).cell());
    }

    static Optional<Reason> pendingReason(MultiCellSimulation simulation, ItemId item) {
        return simulation.router().item(item).flatMap(RouterRow.ItemLocationRow::reason);
    }

    static int cellOf(MultiCellSimulation simulation, String node) {
        return simulation.router().node(node).orElseThrow().cell();
    }

    /** Steps the router with a report of the first cell. */
    List<RouterOutput> report(Router router, CellReport report) {
        return report(router, 0, report);
    }

    /** Steps the router with a report of a cell. */
    List<RouterOutput> report(Router router, int cell, CellReport report) {
        return router.step(new RouterInput(
                        consumed++, History.START, new RouterInput.RouterEvent.ReportInput(cell, report, -1)))
                .outputs();
    }

    /** Steps the router with an observation. */
    List<RouterOutput> route(Router router, Observation observation) {
        return router.step(new RouterInput(
                        consumed++, History.START, new RouterInput.RouterEvent.ObservationInput(observation)))
                .outputs();
    }

    static RouterOutput toCell(int cell, Observation observation) {
        return new RouterOutput.CellObservation(new TreeSet<>(List.of(cell)), observation);
    }
}
