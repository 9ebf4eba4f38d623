package dev.claimstream.allocation.cell;

import static dev.claimstream.allocation.cell.RoutedCluster.key;
import static dev.claimstream.allocation.cell.RoutedCluster.servedIn;
import static dev.claimstream.allocation.cell.RoutedCluster.toCell;
import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.allocation.router.Router;
import dev.claimstream.allocation.router.RouterOutput;
import dev.claimstream.allocation.router.RouterRow;
import dev.claimstream.allocation.router.RouterState;
import dev.claimstream.allocation.sample.Objects;
import dev.claimstream.allocation.sample.TextSelectors;
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
    private final World world = cluster.world;

    /** A cell has one open offer at a time, and another cell may allocate the offered item first. */
    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void whereAnOfferIsNotTakenUpAnotherItemIsOffered(long seed) {
        world.write(Objects.deviceClass("gpu", "kind=gpu"));
        var several = new Several(2, seed, 1);
        cluster.node("a", "0", 3);
        cluster.node("b", "1", 1);
        for (int i = 0; i < 10; i++) {
            cluster.claim("claim-" + i, "r: 1 gpu");
            cluster.pod("pod-" + i, "claim-" + i);
        }
        cluster.settle(several);
        for (int i = 0; i < 4; i++) {
            world.delete(Kind.POD, key("pod-" + i), true);
            world.delete(Kind.RESOURCE_CLAIM, key("claim-" + i), true);
        }
        cluster.settle(several);
    }

    /** Its only device is free while the offer is open. Items behind it get no decision about that. */
    @Test
    void whoWaitsBehindAnItemThatIsOfferedWhatIsKeptForItHearsNothing() {
        var several = new Several(2, 1);
        world.write(Objects.deviceClass("gpu", "kind=gpu"));
        world.write(Objects.deviceClass("net", "kind=net"));
        cluster.out.add(new Observation.SettingsChanged(CellSettings.defaults().withOvertakenMax(1)));
        world.write(Objects.node("a"));
        world.write(Objects.slice("a-slice", "a", 1, 1, "a", "gpu-0 kind=gpu", "nic-0 kind=net"));
        var holder = cluster.claim("a-holder", "r: 1 gpu");
        var oldest = cluster.claim("b-oldest", "r: 1 gpu");
        cluster.settle(several);
        cluster.claim("c-overtakes", "r: 1 net");
        var behind = cluster.claim("d-behind", "r: 1 gpu");
        cluster.settle(several);
        assertThat(several.cell(0).earmarks()).containsKey("a");

        world.delete(Kind.RESOURCE_CLAIM, holder.key(), true);
        cluster.settle(several);
        assertThat(servedIn(several, ItemId.claim(oldest.key()))).contains(0);
        assertThat(several.said.stream()
                        .filter(Output.DecisionMade.class::isInstance)
                        .map(said -> ((Output.DecisionMade) said).decision())
                        .filter(decision -> decision.claim().equals(behind.key()))
                        .map(Decision::result)
                        .map(verdict -> ((Decision.DecisionResult.Pending) verdict).reason()))
                .containsExactly(Reason.DevicesInUse);
    }

    /** An item that is assigned to one of three cells and offered by the two others. */
    private final class Offered {
        private final ItemId item = ItemId.claim(key("one"));
        private final Router router = routerWithClaim();
        private final RouterRow.ItemLocation.AssignedToCell sent = sent(router, item);
        private final List<Integer> others = othersOffer(router, item, sent.cell());
    }

    @Test
    void whoOfferedToTakeWhatIsGoneHearsThatTheOfferIsOver() {
        var one = new Offered();
        world.delete(Kind.RESOURCE_CLAIM, key("one"), true);
        cluster.route(one.router, cluster.out.getLast());
        assertThat(cluster.hear(one.router, one.sent.cell(), new CellReport.ItemDeleted(one.item, one.sent.attempt())))
                .containsAll(declined(one.item, one.others));
    }

    @Test
    void whoIsNotAskedWhenAnItemThatChangedComesBackHearsThatTheOfferIsOver() {
        var one = new Offered();
        world.write(
                world.at(Kind.RESOURCE_CLAIM, key("one"), ResourceClaim.class).orElseThrow());
        cluster.route(one.router, cluster.out.getLast());
        var because = new Explanation.ExplanationDetail.Pending(
                new AllocationPlan.PendingDiagnosis(Reason.DevicesInUse, "in use", Optional.empty()), List.of());
        List<RouterOutput> said = cluster.hear(
                one.router, one.sent.cell(), new CellReport.ItemReturned(one.item, one.sent.attempt(), 0, because));
        one.others.remove((Integer) sent(one.router, one.item).cell());
        assertThat(one.others).isNotEmpty();
        assertThat(said).containsAll(declined(one.item, one.others));
    }

    private Router routerWithClaim() {
        world.write(Objects.deviceClass("gpu", "kind=gpu"));
        cluster.claim("one", "r: 1 gpu");
        var router = new Router(new RouterState(3, new TextSelectors()));
        cluster.out.forEach(observation -> cluster.route(router, observation));
        return router;
    }

    private static RouterRow.ItemLocation.AssignedToCell sent(Router router, ItemId item) {
        return (RouterRow.ItemLocation.AssignedToCell)
                router.state().item(item).orElseThrow().location();
    }

    private List<Integer> othersOffer(Router router, ItemId item, int cell) {
        List<Integer> others = new ArrayList<>(List.of(0, 1, 2));
        others.remove((Integer) cell);
        others.forEach(other -> assertThat(cluster.hear(router, other, new CellReport.OfferMade(item)))
                .isEmpty());
        return others;
    }

    private static List<RouterOutput> declined(ItemId item, List<Integer> cells) {
        String uid = "uid-1";
        return cells.stream()
                .map(cell -> toCell(cell, new Observation.OfferDeclined(item, uid)))
                .toList();
    }

    /** The number of items exceeds the open offers of a cell. */
    @Test
    void allThatWaitedForAClassAreServedOnceItIsThere() {
        var several = new Several(2, 1);
        cluster.node("a", "0", 40);
        cluster.node("b", "1", 10);
        List<ResourceClaim> claims = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            claims.add(cluster.claim("claim-" + i, "r: 1 gpu"));
        }
        cluster.settle(several);
        world.write(Objects.deviceClass("gpu", "kind=gpu"));
        cluster.settle(several);
        assertThat(claims)
                .allSatisfy(claim ->
                        assertThat(servedIn(several, ItemId.claim(claim.key()))).isPresent());
    }
}
