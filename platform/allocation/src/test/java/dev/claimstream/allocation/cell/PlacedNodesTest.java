package dev.claimstream.allocation.cell;

import static dev.claimstream.allocation.cell.RoutedCluster.cellOf;
import static dev.claimstream.allocation.cell.RoutedCluster.servedIn;
import static dev.claimstream.allocation.cell.RoutedCluster.toCell;
import static dev.claimstream.allocation.cell.RoutedCluster.waits;
import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.allocation.router.Router;
import dev.claimstream.allocation.router.RouterOutput;
import dev.claimstream.allocation.router.RouterState;
import dev.claimstream.allocation.sample.Objects;
import dev.claimstream.allocation.sample.TextSelectors;
import dev.claimstream.dra.ClusterObject;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.Node;
import dev.claimstream.dra.ObjectKey;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the assignment of nodes and pools to cells, and their moves between cells. */
class PlacedNodesTest {
    private final RoutedCluster cluster = new RoutedCluster();
    private final World world = cluster.world;

    @Test
    void aNodeIsWhereItsLabelSaysElseWhereTheFewestAre() {
        var several = cluster.several(3);
        cluster.node("a", "2", 1);
        cluster.node("b", "", 1);
        cluster.node("c", "", 1);
        cluster.node("d", "9", 1);
        cluster.settle(several);
        assertThat(List.of(cellOf(several, "a"), cellOf(several, "b"), cellOf(several, "c")))
                .containsExactly(2, 0, 1);
        assertThat(cellOf(several, "d")).as("a label that names no cell").isEqualTo(0);
    }

    @Test
    void aNodeMovesWhileNothingOnItIsHeldAndWaitsOtherwise() {
        var several = cluster.several(2);
        cluster.node("a", "0", 1);
        cluster.node("b", "1", 0);
        var claim = cluster.claim("c", "r: 1 gpu");
        cluster.settle(several);
        assertThat(servedIn(several, ItemId.claim(claim.key()))).contains(0);

        cluster.node("a", "1", 1);
        cluster.settle(several);
        assertThat(cellOf(several, "a")).as("its device is held").isEqualTo(0);

        world.delete(Kind.RESOURCE_CLAIM, claim.key(), true);
        cluster.settle(several);
        assertThat(cellOf(several, "a")).isEqualTo(1);
        var next = cluster.claim("d", "r: 1 gpu");
        cluster.settle(several);
        assertThat(servedIn(several, ItemId.claim(next.key()))).contains(1);
    }

    /** The list may contain an earlier version of the node, and ends before the node is in its new cell. */
    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16})
    void aListThatLagsTakesNothingBackFromANodeThatMoves(long seed) {
        world.write(Objects.deviceClass("gpu", "kind=gpu"));
        var several = new Several(2, seed);
        cluster.node("moves", "0", 1);
        cluster.settle(several);
        cluster.node("moves", "1", 2);
        world.list(Kind.NODE, new Random(seed), true, 1);
        world.list(Kind.RESOURCE_SLICE, new Random(seed), true, 1);
        cluster.settle(several);
        assertThat(cellOf(several, "moves")).isEqualTo(1);
        assertThat(List.of(
                        known(several, Kind.NODE, ObjectKey.cluster("moves")),
                        known(several, Kind.RESOURCE_SLICE, ObjectKey.cluster("moves-slice"))))
                .isEqualTo(List.of(world.standing(Kind.NODE), world.standing(Kind.RESOURCE_SLICE)));
    }

    /** The object as the second cell knows it. */
    private static List<ClusterObject> known(Several several, Kind kind, ObjectKey key) {
        return several.cell(1).object(kind, key).flatMap(Row.ObjectRow::content).stream()
                .toList();
    }

    /** The cell receives the listed node before the end of the list, although a handover was pending. */
    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16})
    void aListThatLagsTakesNothingBackFromANodeThatIsKept(long seed) {
        Several several = withHeldNodeOfCellOne(seed);
        world.write(Objects.node("b", "x=y"));
        world.write(Objects.slice("net", "net", 1, 1, "*", "nic-0 kind=nic"));
        world.list(Kind.NODE, new Random(seed), true, 1);
        cluster.settle(several);
        assertThat(cellOf(several, "b")).as("its device is held").isEqualTo(1);
        assertThat(known(several, Kind.NODE, ObjectKey.cluster("b")))
                .isEqualTo(List.of(
                        world.at(Kind.NODE, ObjectKey.cluster("b"), Node.class).orElseThrow()));
    }

    private Several withHeldNodeOfCellOne(long seed) {
        world.write(Objects.deviceClass("gpu", "kind=gpu"));
        var several = new Several(2, seed);
        cluster.node("a", "0", 0);
        cluster.node("b", "1", 1);
        cluster.claim("c", "r: 1 gpu");
        cluster.settle(several);
        return several;
    }

    @Test
    void theEndOfAListWaitsForNodesThatWereOnTheirWayBeforeItAndForNoOther() {
        world.write(Objects.deviceClass("gpu", "kind=gpu"));
        cluster.node("a", "0", 1);
        cluster.node("b", "0", 1);
        var router = new Router(new RouterState(2, new TextSelectors()));
        cluster.out.forEach(observation -> cluster.route(router, observation));
        assertThat(cluster.route(router, labelled("a", 10)))
                .containsExactly(toCell(0, labelled("a", 10)), toCell(0, new Observation.NodeHandover("a", 1)));
        var end = new Observation.KindSynced(new Stamp(World.SOURCE, 1, 11), Kind.NODE, 0, 1);
        var stale = new Observation.KindStale(new Stamp(World.SOURCE, 1, 0), Kind.NODE);
        assertThat(cluster.route(router, labelled("a", 11))).isEmpty();
        assertThat(cluster.route(router, end)).isEmpty();
        assertThat(cluster.route(router, stale)).isEmpty();

        assertThat(cluster.route(router, labelled("b", 12))).hasSize(2);
        assertThat(cluster.route(router, labelled("b", 13))).isEmpty();
        assertThat(cluster.hear(router, new CellReport.NodeRetained("a", 1)))
                .containsExactly(
                        toCell(0, labelled("a", 11)),
                        toCell(0, new Observation.NodeHandover("a", 7)),
                        new RouterOutput.CellObservation(new TreeSet<>(List.of(0, 1)), end),
                        new RouterOutput.CellObservation(new TreeSet<>(List.of(0, 1)), stale));
        assertThat(cluster.hear(router, new CellReport.NodeRetained("b", 5))).contains(toCell(0, labelled("b", 13)));
    }

    private static Observation labelled(String node, long version) {
        return new Observation.ObjectUpserted(
                new Stamp(World.SOURCE, 1, version), Objects.node(node, "claimstream.dev/cell=1"));
    }

    @Test
    void anOldWordOfANodeDoesNotMoveIt() {
        var several = cluster.several(2);
        cluster.node("a", "0", 1);
        Observation old = cluster.out.get(1);
        cluster.settle(several);
        cluster.node("a", "1", 1);
        cluster.settle(several);
        several.observe(old);
        cluster.settle(several);
        assertThat(cellOf(several, "a")).isEqualTo(1);
    }

    @Test
    void anOldWordOfASliceFromBeforeItChangedPoolsDoesNotHideItsEnd() {
        var several = cluster.several(2);
        cluster.node("a", "0", 0);
        cluster.node("b", "1", 0);
        world.write(Objects.slice("changes", "first", 1, 1, "a", "gpu-7 kind=gpu"));
        Observation old = cluster.out.getLast();
        cluster.settle(several);
        world.write(Objects.slice("changes", "second", 1, 1, "b", "gpu-8 kind=gpu"));
        cluster.settle(several);
        several.observe(old);
        cluster.settle(several);
        assertThat(known(several, Kind.RESOURCE_SLICE, ObjectKey.cluster("changes")))
                .hasSize(1);

        world.delete(Kind.RESOURCE_SLICE, ObjectKey.cluster("changes"), true);
        cluster.settle(several);
        assertThat(known(several, Kind.RESOURCE_SLICE, ObjectKey.cluster("changes")))
                .isEmpty();
    }

    @Test
    void anOldEndOfASliceDoesNotPartNodesThatReachItsPool() {
        var several = cluster.several(3);
        cluster.node("a", "2", 1);
        world.write(Objects.slice("net", "net", 1, 1, "*", "gpu-9 kind=gpu"));
        world.delete(Kind.RESOURCE_SLICE, ObjectKey.cluster("net"), true);
        Observation old = cluster.out.getLast();
        world.write(Objects.slice("net", "net", 2, 1, "*", "gpu-9 kind=gpu"));
        cluster.settle(several);
        several.observe(old);
        cluster.node("b", "", 1);
        cluster.settle(several);
        assertThat(cellOf(several, "b")).isEqualTo(cellOf(several, "a"));
    }

    @Test
    void nodesThatReachACommonPoolComeTogether() {
        var several = cluster.several(2);
        cluster.node("a", "", 1);
        cluster.node("b", "", 1);
        cluster.settle(several);
        assertThat(cellOf(several, "a")).isNotEqualTo(cellOf(several, "b"));
        world.write(Objects.slice("net", "net", 1, 1, "*", "gpu-9 kind=gpu"));
        cluster.settle(several);
        assertThat(cellOf(several, "a")).isEqualTo(cellOf(several, "b"));
        cluster.node("c", "", 1);
        cluster.settle(several);
        assertThat(cellOf(several, "c")).isEqualTo(cellOf(several, "a"));
    }

    /** Two nodes in two cells. The second node can access a network pool. */
    private Several withNet() {
        Several several = cluster.several(2);
        world.write(Objects.deviceClass("net", "kind=net"));
        cluster.node("a", "", 1);
        world.write(Objects.node("b", "zone=b"));
        world.write(Objects.slice("b-slice", "b", 1, 1, "b", "gpu-0 kind=gpu"));
        world.write(Objects.slice("net-slice", "net", 1, 1, "zone=b", "nic-0 kind=net"));
        cluster.settle(several);
        assertThat(cellOf(several, "b")).isEqualTo(1);
        return several;
    }

    /** Rewrites the nodes, so that their records follow those of their slices. */
    private void showNodesAgain(Several several) {
        world.write(Objects.node("a", "shown=again"));
        world.write(Objects.node("b", "zone=b", "shown=again"));
        cluster.settle(several);
    }

    @Test
    void aPoolOfWhichSomethingIsHeldIsLearntAnewWhereItIsHeld() {
        Several several = withNet();
        var first = cluster.claim("first", "r: 1 net");
        cluster.settle(several);
        world.delete(Kind.NODE, ObjectKey.cluster("b"), true);
        cluster.settle(several);

        several.rebuild(true);
        world.write(Objects.node("c", "zone=b"));
        var second = cluster.claim("second", "r: 1 net");
        cluster.settle(several);
        assertThat(servedIn(several, ItemId.claim(first.key()))).contains(1);
        assertThat(waits(several, ItemId.claim(second.key()))).isPresent();
    }

    @Test
    void aPoolOfWhichNothingIsHeldIsLearntAnewWhereItsNodesAre() {
        Several several = withNet();
        cluster.claim("one", "r: 1 gpu");
        cluster.claim("two", "r: 1 gpu");
        cluster.settle(several);
        showNodesAgain(several);

        several.rebuild(true);
        var late = cluster.claim("late", "r: 1 net");
        cluster.settle(several);
        assertThat(servedIn(several, ItemId.claim(late.key()))).contains(1);
    }

    @Test
    void aNodeIsLearntAnewWhereItWas() {
        var several = cluster.several(3);
        cluster.node("a", "1", 1);
        cluster.node("b", "", 1);
        cluster.node("c", "", 1);
        cluster.settle(several);
        cluster.node("a", "", 1);
        cluster.settle(several);

        several.rebuild(true);
        cluster.settle(several);
        assertThat(List.of(cellOf(several, "a"), cellOf(several, "b"), cellOf(several, "c")))
                .containsExactly(1, 0, 2);
    }
}
