package dev.claimstream.allocation.cell;

import static dev.claimstream.allocation.cell.RoutedCluster.allocatingCell;
import static dev.claimstream.allocation.cell.RoutedCluster.key;
import static dev.claimstream.allocation.cell.RoutedCluster.toCell;
import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.allocation.router.Router;
import dev.claimstream.allocation.router.RouterOutput;
import dev.claimstream.allocation.router.RouterRow;
import dev.claimstream.allocation.router.RouterState;
import dev.claimstream.allocation.sample.SampleObjects;
import dev.claimstream.allocation.solver.AllocationPlan;
import dev.claimstream.allocation.solver.Reason;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.ResourceClaim;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests offers of cells to allocate pending items, and the router's answers. */
class OffersTest {
    private final RoutedCluster cluster = new RoutedCluster();
    private final SimulatedApiServer apiServer = cluster.apiServer;

    /** A cell has one open offer at a time, and another cell may allocate the offered item first. */
    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void offersAnotherItemAfterDeclinedOffer(long seed) {
        apiServer.write(SampleObjects.deviceClass("gpu", "kind=gpu"));
        var simulation = new MultiCellSimulation(2, seed, 1);
        cluster.node("a", "0", 3);
        cluster.node("b", "1", 1);
        for (int i = 0; i < 10; i++) {
            cluster.claim("claim-" + i, "r: 1 gpu");
            cluster.pod("pod-" + i, "claim-" + i);
        }
        cluster.settle(simulation);
        for (int i = 0; i < 4; i++) {
            apiServer.delete(Kind.POD, key("pod-" + i), true);
            apiServer.delete(Kind.RESOURCE_CLAIM, key("claim-" + i), true);
        }
        cluster.settle(simulation);
    }

    /** Its only device is free while the offer is open. Items behind it get no decision about that. */
    @Test
    void keepsReasonOfItemBehindEarmarkedOffer() {
        var simulation = new MultiCellSimulation(2, 1);
        apiServer.write(SampleObjects.deviceClass("gpu", "kind=gpu"));
        apiServer.write(SampleObjects.deviceClass("net", "kind=net"));
        cluster.observations.add(new Observation.SettingsChanged(
                CellSettings.builder().overtakenMax(1).build()));
        apiServer.write(SampleObjects.node("a"));
        apiServer.write(SampleObjects.slice("a-slice", "a", 1, 1, "a", "gpu-0 kind=gpu", "nic-0 kind=net"));
        var holder = cluster.claim("a-holder", "r: 1 gpu");
        var oldest = cluster.claim("b-oldest", "r: 1 gpu");
        cluster.settle(simulation);
        cluster.claim("c-overtakes", "r: 1 net");
        var behind = cluster.claim("d-behind", "r: 1 gpu");
        cluster.settle(simulation);
        assertThat(simulation.cell(0).earmarks()).containsKey("a");

        apiServer.delete(Kind.RESOURCE_CLAIM, holder.key(), true);
        cluster.settle(simulation);
        assertThat(allocatingCell(simulation, ItemId.claim(oldest.key()))).contains(0);
        assertThat(simulation.outputs.stream()
                        .filter(Output.DecisionMade.class::isInstance)
                        .map(output -> ((Output.DecisionMade) output).decision())
                        .filter(decision -> decision.claim().equals(behind.key()))
                        .map(Decision::result)
                        .map(result -> ((Decision.DecisionResult.Pending) result).reason()))
                .containsExactly(Reason.DevicesInUse);
    }

    /** An item that is assigned to one of three cells and offered by the two others. */
    private final class OfferedItem {
        private final ItemId item = ItemId.claim(key("one"));
        private final Router router = routerWithClaim();
        private final RouterRow.ItemLocation.AssignedToCell assignment = assignment(router, item);
        private final List<Integer> offeringCells = makeOffers(router, item, assignment.cell());
    }

    @Test
    void declinesOffersAfterItemIsDeleted() {
        var one = new OfferedItem();
        apiServer.delete(Kind.RESOURCE_CLAIM, key("one"), true);
        cluster.route(one.router, cluster.observations.getLast());
        assertThat(cluster.report(
                        one.router,
                        one.assignment.cell(),
                        new CellReport.ItemDeleted(one.item, one.assignment.attempt())))
                .containsAll(declineOutputs(one.item, one.offeringCells));
    }

    @Test
    void declinesRemainingOffersWhenChangedItemReturns() {
        var one = new OfferedItem();
        apiServer.write(apiServer
                .find(Kind.RESOURCE_CLAIM, key("one"), ResourceClaim.class)
                .orElseThrow());
        cluster.route(one.router, cluster.observations.getLast());
        var detail = new Explanation.ExplanationDetail.Pending(
                new AllocationPlan.PendingDiagnosis(Reason.DevicesInUse, "in use", Optional.empty()), List.of());
        List<RouterOutput> outputs = cluster.report(
                one.router,
                one.assignment.cell(),
                new CellReport.ItemReturned(one.item, one.assignment.attempt(), 0, detail, List.of()));
        one.offeringCells.remove((Integer) assignment(one.router, one.item).cell());
        assertThat(one.offeringCells).isNotEmpty();
        assertThat(outputs).containsAll(declineOutputs(one.item, one.offeringCells));
    }

    private Router routerWithClaim() {
        apiServer.write(SampleObjects.deviceClass("gpu", "kind=gpu"));
        cluster.claim("one", "r: 1 gpu");
        var router = new Router(new RouterState(3));
        cluster.observations.forEach(observation -> cluster.route(router, observation));
        return router;
    }

    private static RouterRow.ItemLocation.AssignedToCell assignment(Router router, ItemId item) {
        return (RouterRow.ItemLocation.AssignedToCell)
                router.state().item(item).orElseThrow().location();
    }

    private List<Integer> makeOffers(Router router, ItemId item, int cell) {
        List<Integer> others = new ArrayList<>(List.of(0, 1, 2));
        others.remove((Integer) cell);
        others.forEach(other -> assertThat(cluster.report(router, other, new CellReport.OfferMade(item, false)))
                .isEmpty());
        return others;
    }

    private static List<RouterOutput> declineOutputs(ItemId item, List<Integer> cells) {
        String uid = "uid-1";
        return cells.stream()
                .map(cell -> toCell(cell, new Observation.OfferDeclined(item, uid)))
                .toList();
    }

    /** The number of items exceeds the open offers of a cell. */
    @Test
    void allocatesAllPendingItemsAfterClassAppears() {
        var simulation = new MultiCellSimulation(2, 1);
        cluster.node("a", "0", 40);
        cluster.node("b", "1", 10);
        List<ResourceClaim> claims = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            claims.add(cluster.claim("claim-" + i, "r: 1 gpu"));
        }
        cluster.settle(simulation);
        apiServer.write(SampleObjects.deviceClass("gpu", "kind=gpu"));
        cluster.settle(simulation);
        assertThat(claims)
                .allSatisfy(claim -> assertThat(allocatingCell(simulation, ItemId.claim(claim.key())))
                        .isPresent());
    }
}
