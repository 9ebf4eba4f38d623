package dev.claimstream.allocation.cell;

import static dev.claimstream.allocation.cell.RoutedCluster.key;
import static dev.claimstream.allocation.cell.RoutedCluster.servedIn;
import static dev.claimstream.allocation.cell.RoutedCluster.waits;
import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.allocation.router.Router;
import dev.claimstream.allocation.router.RouterFact;
import dev.claimstream.allocation.router.RouterInput;
import dev.claimstream.allocation.router.RouterOutput;
import dev.claimstream.allocation.router.RouterRow;
import dev.claimstream.allocation.router.RouterState;
import dev.claimstream.allocation.sample.ClaimText;
import dev.claimstream.allocation.sample.Objects;
import dev.claimstream.allocation.sample.TextSelectors;
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
    private final World world = cluster.world;

    private static SortedSet<Integer> whoKnows(Several several, ResourceClaim claim) {
        SortedSet<Integer> cells = new TreeSet<>();
        for (int cell = 0; cell < several.cells(); cell++) {
            if (several.cell(cell).claim(claim.key()).isPresent()) {
                cells.add(cell);
            }
        }
        return cells;
    }

    private void allocate(ResourceClaim claim, Allocation allocation) {
        world.write(new ResourceClaim(claim.meta(), claim.spec(), Optional.of(allocation), List.of()));
    }

    private static Allocation device(String node, String device) {
        return new Allocation(
                List.of(DeviceResult.of("r", new DeviceId(Objects.DRIVER, node, device))),
                List.of(),
                Optional.empty(),
                Optional.empty());
    }

    @Test
    void aClaimIsKnownWhereItWasServedAndNowhereElse() {
        var several = cluster.several(3);
        cluster.node("a", "0", 1);
        cluster.node("b", "1", 5);
        cluster.node("c", "2", 1);
        cluster.settle(several);
        var claim = cluster.claim("one", "r: 1 gpu");
        cluster.settle(several);
        int cell = servedIn(several, ItemId.claim(claim.key())).orElseThrow();
        assertThat(whoKnows(several, claim)).containsExactly(cell);

        var grant = several.cell(cell).decidedAllocation(claim.meta().uid()).orElseThrow();
        allocate(claim, grant.allocation());
        cluster.settle(several);
        assertThat(whoKnows(several, claim)).as("what it was given is its own").containsExactly(cell);

        world.delete(Kind.RESOURCE_CLAIM, claim.key(), true);
        cluster.settle(several);
        assertThat(whoKnows(several, claim)).isEmpty();
        assertThat(several.router().fanout(claim.key())).isEmpty();
    }

    @Test
    void aClaimThatNobodyCanServeIsKnownByAll() {
        var several = cluster.several(3);
        cluster.node("a", "0", 1);
        var claim = cluster.claim("one", "r: 2 gpu");
        cluster.settle(several);
        assertThat(whoKnows(several, claim)).containsExactly(0, 1, 2);
    }

    @Test
    void whatOthersGaveIsKnownByAll() {
        var several = cluster.several(3);
        cluster.node("a", "0", 1);
        cluster.node("b", "1", 1);
        cluster.settle(several);
        var claim = cluster.claim("theirs", "r: 1 gpu");
        allocate(claim, device("b", "gpu-0"));
        var ours = cluster.claim("ours", "r: 1 gpu");
        cluster.settle(several);
        assertThat(whoKnows(several, claim)).containsExactly(0, 1, 2);
        assertThat(servedIn(several, ItemId.claim(ours.key()))).contains(0);
    }

    @Test
    void whatOthersWroteOverOursIsKnownWhereItsDevicesAre() {
        var several = cluster.several(2);
        world.write(Objects.deviceClass("net", "kind=net"));
        cluster.node("a", "0", 1);
        world.write(Objects.node("b", "claimstream.dev/cell=1"));
        world.write(Objects.slice("b-slice", "b", 1, 1, "b", "nic-0 kind=net"));
        var claim = cluster.claim("one", "r: 1 gpu");
        cluster.settle(several);
        assertThat(whoKnows(several, claim)).containsExactly(0);

        allocate(claim, device("b", "nic-0"));
        var late = cluster.claim("late", "r: 1 net");
        cluster.settle(several);
        assertThat(waits(several, ItemId.claim(late.key()))).isPresent();
    }

    /** The claim is deleted and recreated before the cell of its pod reports the effect on the pod. */
    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16})
    void whatComesInPlaceOfAClaimIsKnownWhereItsPodIs(long seed) {
        world.write(Objects.deviceClass("gpu", "kind=gpu"));
        var several = new Several(2, seed);
        cluster.node("a", "0", 2);
        cluster.node("b", "1", 1);
        Pod pod = cluster.pod("p", "first", "second");
        cluster.claim("first", "r: 1 gpu");
        cluster.claim("second", "r: 1 gpu");
        cluster.settle(several);
        assertThat(servedIn(several, ItemId.pod(pod.key()))).contains(0);

        world.delete(Kind.RESOURCE_CLAIM, key("second"), true);
        cluster.claim("second", "r: 1 gpu");
        cluster.settle(several);
        assertThat(servedIn(several, ItemId.pod(pod.key()))).contains(0);
    }

    @Test
    void whatAPodLeftBehindIsKnownWhereItIsHeldAfterThatWasLost() {
        var several = cluster.several(2);
        cluster.node("a", "0", 1);
        Pod pod = cluster.pod("p", "left");
        var left = new ResourceClaim(
                new ObjectMeta(
                        "default",
                        "left",
                        world.freshUid(),
                        Optional.empty(),
                        0,
                        new TreeMap<>(),
                        new TreeMap<>(),
                        Optional.of(new Owner("Pod", "p", pod.meta().uid())),
                        false),
                ClaimText.spec("r: 1 gpu"),
                Optional.empty(),
                List.of());
        world.write(left);
        cluster.settle(several);
        world.delete(Kind.POD, pod.key(), true);
        cluster.settle(several);

        several.rebuild(true);
        cluster.settle(several);
        assertThat(whoKnows(several, left)).containsExactly(0);
        world.delete(Kind.RESOURCE_CLAIM, left.key(), true);
        var next = cluster.claim("next", "r: 1 gpu");
        cluster.settle(several);
        assertThat(servedIn(several, ItemId.claim(next.key()))).contains(0);
    }

    @Test
    void adminAccessIsKnownByAllForItHoldsNoNode() {
        var several = cluster.several(2);
        cluster.node("a", "0", 1);
        world.write(new Namespace(ObjectMeta.of("", "default", "uid-ns")
                .withLabels(new TreeMap<>(Map.of(Namespace.ADMIN_ACCESS_LABEL, "true")))));
        var claim = cluster.claim("one", "r: 1 gpu admin");
        cluster.settle(several);
        assertThat(whoKnows(several, claim)).containsExactly(0);
        allocate(
                claim,
                several.cell(0)
                        .decidedAllocation(claim.meta().uid())
                        .orElseThrow()
                        .allocation());
        cluster.settle(several);
        assertThat(whoKnows(several, claim)).containsExactly(0, 1);
    }

    @Test
    void aClaimThatIsLateIsNotTakenForANewOneWhereNobodyHeardOfIt() {
        var several = cluster.several(2);
        cluster.node("a", "0", 1);
        var claim = cluster.claim("one", "r: 1 gpu");
        cluster.settle(several);
        Observation first = cluster.out.getLast();
        allocate(
                claim,
                several.cell(0)
                        .decidedAllocation(claim.meta().uid())
                        .orElseThrow()
                        .allocation());
        cluster.settle(several);
        Observation second = cluster.out.getLast();
        world.delete(Kind.RESOURCE_CLAIM, claim.key(), true);
        cluster.settle(several);
        cluster.out.add(first);
        cluster.out.add(second);
        cluster.settle(several);
        assertThat(whoKnows(several, claim)).isEmpty();
    }

    @Test
    void aClaimFromBeforeThatWasNotedIsToldToAll() {
        var several = cluster.several(2);
        cluster.node("a", "0", 1);
        var claim = cluster.claim("one", "r: 1 gpu");
        cluster.settle(several);
        var before = new RouterState(2, new TextSelectors());
        several.router().rows().values().stream()
                .filter(row -> !(row instanceof RouterRow.ClaimFanoutRow))
                .forEach(row -> before.apply(new RouterFact.Put(row)));
        world.delete(Kind.RESOURCE_CLAIM, claim.key(), true);
        var gone = new RouterInput(
                1000, History.START, new RouterInput.RouterEvent.ObservationInput(cluster.out.getLast()));
        assertThat(new Router(before).step(gone).outputs())
                .contains(new RouterOutput.CellObservation(new TreeSet<>(List.of(0, 1)), cluster.out.getLast()));
    }

    /** Another writer allocates a device to a managed claim while the node of that device moves to another cell. */
    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16})
    void whatIsAllocatedOnANodeThatMovesIsKnownWhereItGoes(long seed) {
        world.write(Objects.deviceClass("gpu", "kind=gpu"));
        world.write(Objects.deviceClass("net", "kind=net"));
        var several = new Several(2, seed);
        cluster.node("stays", "0", 1);
        world.write(Objects.node("moves", "claimstream.dev/cell=0"));
        world.write(Objects.slice("moves-slice", "moves", 1, 1, "moves", "nic-0 kind=net"));
        world.write(Objects.node("other", "claimstream.dev/cell=1"));
        var claim = cluster.claim("one", "r: 1 gpu");
        cluster.settle(several);
        assertThat(whoKnows(several, claim)).containsExactly(0);

        world.write(Objects.node("moves", "claimstream.dev/cell=1"));
        allocate(claim, device("moves", "nic-0"));
        var late = cluster.claim("late", "r: 1 net");
        cluster.settle(several);
        assertThat(waits(several, ItemId.claim(late.key()))).isPresent();
    }
}
