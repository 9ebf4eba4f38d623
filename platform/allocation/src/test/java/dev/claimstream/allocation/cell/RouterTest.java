package dev.claimstream.allocation.cell;

import static dev.claimstream.allocation.cell.RoutedCluster.key;
import static dev.claimstream.allocation.cell.RoutedCluster.servedIn;
import static dev.claimstream.allocation.cell.RoutedCluster.waits;
import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.allocation.solver.Reason;
import dev.claimstream.dra.ClaimConsumer;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.Namespace;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.ObjectMeta;
import dev.claimstream.dra.Pod;
import dev.claimstream.dra.ResourceClaim;
import java.util.List;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Tests with two or three cells which cell allocates an item, and the reason of a pending item. */
class RouterTest {
    private final RoutedCluster cluster = new RoutedCluster();
    private final World world = cluster.world;

    @Test
    void aPodForWhichOneCellHasNoRoomIsServedInAnother() {
        var several = cluster.several(2);
        cluster.nodeWithRoom("a", "0", "1 cpu and 9 pods");
        cluster.nodeWithRoom("b", "1", "8 cpu and 9 pods");
        var pod = cluster.pod("p", ItemActs.resources("4 cpu"), "c");
        cluster.claim("c", "r: 1 gpu");
        cluster.settle(several);
        assertThat(servedIn(several, ItemId.pod(pod.key()))).contains(1);
    }

    @Test
    void adminAccessThatWasGivenStaysWhenTheNamespaceLosesItsLabel() {
        var several = cluster.several(2);
        cluster.node("a", "0", 1);
        var labels = new TreeMap<String, String>();
        labels.put(Namespace.ADMIN_ACCESS_LABEL, "true");
        world.write(new Namespace(ObjectMeta.of("", "default", "uid-ns").withLabels(labels)));
        cluster.claim("c", "r: 1 gpu admin");
        var first = cluster.pod("p", "c");
        cluster.settle(several);
        assertThat(servedIn(several, ItemId.pod(first.key()))).contains(0);

        labels.put(Namespace.ADMIN_ACCESS_LABEL, "false");
        world.write(new Namespace(ObjectMeta.of("", "default", "uid-ns").withLabels(labels)));
        var second = cluster.pod("q", "c");
        cluster.settle(several);
        assertThat(servedIn(several, ItemId.pod(second.key()))).contains(0);
    }

    @Test
    void whatNoCellCanServeWaitsUnderTheReasonOfTheNearestAndIsServedWhereItFitsFirst() {
        var several = cluster.several(2);
        cluster.node("a", "0", 2);
        cluster.node("b", "1", 1);
        cluster.claim("small", "r: 1 gpu");
        cluster.settle(several);
        var large = cluster.claim("large", "r: 3 gpu");
        cluster.settle(several);
        assertThat(waits(several, ItemId.claim(large.key()))).contains(Reason.TooFewOnOneNode);

        cluster.node("b", "1", 4);
        cluster.settle(several);
        assertThat(servedIn(several, ItemId.claim(large.key()))).contains(1);
    }

    @Test
    void theReasonIsThatOfTheCellThatIsNearest() {
        var several = cluster.several(2);
        cluster.node("a", "0", 2);
        cluster.node("b", "1", 1);
        cluster.claim("first", "r: 2 gpu");
        cluster.settle(several);
        var second = cluster.claim("second", "r: 2 gpu");
        cluster.settle(several);
        assertThat(waits(several, ItemId.claim(second.key()))).contains(Reason.DevicesInUse);
    }

    @Test
    void aSecondPodFollowsTheSharedClaimToItsCell() {
        var several = cluster.several(2);
        cluster.node("a", "0", 2);
        cluster.node("b", "1", 2);
        Pod first = cluster.pod("first", "shared");
        Pod second = cluster.pod("second", "shared", "own");
        cluster.claim("shared", "r: 1 gpu");
        cluster.claim("own", "r: 1 gpu");
        cluster.settle(several);
        int cell = servedIn(several, ItemId.pod(first.key())).orElseThrow();
        assertThat(servedIn(several, ItemId.pod(second.key()))).contains(cell);
        assertThat(several
                        .cell(cell)
                        .decidedAllocation(several.cell(cell)
                                .claim(key("shared"))
                                .orElseThrow()
                                .meta()
                                .uid())
                        .orElseThrow()
                        .reservedFor()
                        .stream()
                        .map(ClaimConsumer::name))
                .containsExactlyInAnyOrder("first", "second");
    }

    @Test
    void aPodWhoseClaimsStandInTwoCellsSpansThem() {
        var several = cluster.several(2);
        cluster.node("a", "0", 1);
        cluster.node("b", "1", 1);
        cluster.claim("one", "r: 1 gpu");
        cluster.claim("two", "r: 1 gpu");
        cluster.pod("p", "one");
        cluster.pod("q", "two");
        cluster.settle(several);
        Pod both = cluster.pod("both", "one", "two");
        cluster.settle(several);
        assertThat(waits(several, ItemId.pod(both.key()))).contains(Reason.SpansCells);

        world.delete(Kind.POD, key("q"), true);
        world.delete(Kind.POD, key("both"), true);
        world.delete(Kind.RESOURCE_CLAIM, key("two"), true);
        cluster.settle(several);
        assertThat(several.router().item(ItemId.pod(both.key()))).isEmpty();
        assertThat(several.said).contains(new Output.ExplanationDeleted(ItemId.pod(both.key())));
    }

    @Test
    void whatAClaimWasGivenAloneIsExplainedUntilItIsGone() {
        var several = cluster.several(2);
        cluster.node("a", "0", 1);
        cluster.claim("one", "r: 1 gpu");
        cluster.settle(several);
        var forgotten = new Output.ExplanationDeleted(ItemId.claim(key("one")));
        cluster.pod("p", "one");
        cluster.settle(several);
        assertThat(several.router().item(ItemId.claim(key("one")))).isEmpty();
        assertThat(several.said).doesNotContain(forgotten);

        world.delete(Kind.POD, key("p"), true);
        world.delete(Kind.RESOURCE_CLAIM, key("one"), true);
        cluster.settle(several);
        assertThat(several.said).contains(forgotten);
    }

    @Test
    void whatChangesNothingIsToldOnceThoughEveryCellHearsOfIt() {
        var several = cluster.several(2);
        cluster.node("a", "0", 1);
        ResourceClaim one = cluster.claim("one", "r: 1 gpu");
        cluster.settle(several);
        List<Observation> again = List.copyOf(cluster.out);
        cluster.out.addAll(again);
        cluster.settle(several);
        assertThat(several.ignored).as("what is only repeated").isEmpty();

        var stranger = new Stamp("stranger", 1, 99);
        String uid = one.meta().uid();
        List<Observation> nothings = List.of(
                new Observation.ObjectUpserted(stranger, one),
                new Observation.ObjectDeleted(stranger, Kind.NODE, ObjectKey.cluster("a"), "uid-of-a"),
                new Observation.ObjectDeleted(new Stamp(World.SOURCE, 1, 0), Kind.RESOURCE_CLAIM, one.key(), uid),
                new Observation.CommitOutcome(uid, 99, Observation.CommitOutcome.Result.REFUSED, "", 0));
        cluster.out.addAll(nothings);
        cluster.settle(several);
        assertThat(several.ignored)
                .containsExactlyInAnyOrder(
                        new IgnoredObservation(nothings.get(0), IgnoredObservation.IgnoredReason.FOREIGN),
                        new IgnoredObservation(nothings.get(1), IgnoredObservation.IgnoredReason.FOREIGN),
                        new IgnoredObservation(nothings.get(2), IgnoredObservation.IgnoredReason.STALE),
                        new IgnoredObservation(nothings.get(3), IgnoredObservation.IgnoredReason.UNKNOWN_DECISION));
    }

    @Test
    void aProbeIsAnsweredOnceNothingIsOnItsWay() {
        var several = cluster.several(3);
        cluster.node("a", "", 1);
        cluster.claim("one", "r: 1 gpu");
        cluster.claim("two", "r: 1 gpu");
        cluster.out.add(new Observation.Probe("p", 0, 2));
        cluster.out.add(new Observation.Probe("p", 1, 2));
        cluster.settle(several);
        assertThat(several.said).contains(new Output.ProbeAnswered("p", 1, 1));
    }

    @Test
    void noNumberOfADecisionIsUsedTwice() {
        var several = cluster.several(3);
        cluster.node("a", "", 2);
        cluster.node("b", "", 1);
        for (int i = 0; i < 6; i++) {
            cluster.claim("claim-" + i, "r: 1 gpu");
        }
        cluster.settle(several);
        world.delete(Kind.RESOURCE_CLAIM, key("claim-0"), true);
        world.delete(Kind.RESOURCE_CLAIM, key("claim-1"), true);
        cluster.settle(several);
        List<Long> numbers = several.said.stream()
                .filter(Output.DecisionMade.class::isInstance)
                .map(each -> ((Output.DecisionMade) each).decision())
                .filter(each -> !(each.result() instanceof Decision.DecisionResult.Released))
                .map(Decision::number)
                .toList();
        assertThat(numbers).doesNotHaveDuplicates().hasSizeGreaterThan(6);
    }
}
