package dev.claimstream.allocation.cell;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.allocation.router.Router;
import dev.claimstream.allocation.router.RouterInput;
import dev.claimstream.allocation.router.RouterOutput;
import dev.claimstream.allocation.router.RouterRow;
import dev.claimstream.allocation.sample.ClaimText;
import dev.claimstream.allocation.sample.Objects;
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
import java.util.TreeMap;
import java.util.TreeSet;

/** A simulated cluster as input of a router and its cells. */
final class RoutedCluster {
    final List<Observation> out = new ArrayList<>();
    final World world = new World(out);
    private int fed;

    /** Creates cells with one open offer each, and the DeviceClass gpu. */
    Several several(int cells) {
        world.write(Objects.deviceClass("gpu", "kind=gpu"));
        return new Several(cells, 1, 1);
    }

    /** Sends new observations, runs router and cells until they are idle, and checks that no item is overlooked. */
    void settle(Several several) {
        for (; fed < out.size(); fed++) {
            several.observe(out.get(fed));
        }
        several.settle();
        assertThat(several.overlooked()).isEmpty();
    }

    /**
     * Writes a node and its pool.
     *
     * @param label cell of the node; empty for none
     */
    void node(String name, String label, int devices) {
        world.write(label.isEmpty() ? Objects.node(name) : Objects.node(name, "claimstream.dev/cell=" + label));
        String[] texts = new String[devices];
        Arrays.setAll(texts, i -> "gpu-%d kind=gpu".formatted(i));
        world.write(Objects.slice(name + "-slice", name, 1, 1, name, texts));
    }

    static ObjectKey key(String name) {
        return new ObjectKey("default", name);
    }

    ResourceClaim claim(String name, String wants) {
        var claim = new ResourceClaim(
                ObjectMeta.of("default", name, world.freshUid()), ClaimText.spec(wants), Optional.empty(), List.of());
        world.write(claim);
        return claim;
    }

    void nodeWithRoom(String name, String label, String room) {
        node(name, label, 1);
        Node plain = Objects.node(name, "claimstream.dev/cell=" + label);
        world.write(new Node(plain.meta(), List.of(), false, true, List.of(), ItemActs.resources(room)));
    }

    Pod pod(String name, String... claims) {
        return pod(name, ResourceList.none(), claims);
    }

    Pod pod(String name, ResourceList requests, String... claims) {
        List<PodClaim> uses = new ArrayList<>();
        for (String claim : claims) {
            uses.add(new PodClaim("use-" + uses.size(), new PodClaim.ClaimSource.ClaimReference(claim)));
        }
        var pod = new Pod(
                ObjectMeta.of("default", name, world.freshUid()),
                Optional.empty(),
                new TreeMap<>(),
                Optional.empty(),
                List.of(),
                0,
                uses,
                List.of(),
                requests,
                new TreeMap<>(),
                Optional.empty(),
                false);
        world.write(pod);
        return pod;
    }

    static Optional<Integer> servedIn(Several several, ItemId item) {
        return several.router()
                .item(item)
                .map(RouterRow.ItemRow::location)
                .filter(RouterRow.ItemLocation.AllocatedInCell.class::isInstance)
                .map(at -> ((RouterRow.ItemLocation.AllocatedInCell) at).cell());
    }

    static Optional<Reason> waits(Several several, ItemId item) {
        return several.router().item(item).flatMap(RouterRow.ItemRow::reason);
    }

    static int cellOf(Several several, String node) {
        return several.router().node(node).orElseThrow().cell();
    }

    /** Steps the router with a report of the first cell. */
    List<RouterOutput> hear(Router router, CellReport verdict) {
        return hear(router, 0, verdict);
    }

    /** Steps the router with a report of a cell. */
    List<RouterOutput> hear(Router router, int cell, CellReport verdict) {
        return router.step(new RouterInput(
                        fed++, History.START, new RouterInput.RouterEvent.ReportInput(cell, verdict, -1)))
                .outputs();
    }

    /** Steps the router with an observation. */
    List<RouterOutput> route(Router router, Observation observation) {
        return router.step(new RouterInput(
                        fed++, History.START, new RouterInput.RouterEvent.ObservationInput(observation)))
                .outputs();
    }

    static RouterOutput toCell(int cell, Observation observation) {
        return new RouterOutput.CellObservation(new TreeSet<>(List.of(cell)), observation);
    }
}
