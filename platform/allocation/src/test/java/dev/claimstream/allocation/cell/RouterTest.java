package dev.claimstream.allocation.cell;

import static dev.claimstream.allocation.cell.RoutedCluster.allocatingCell;
import static dev.claimstream.allocation.cell.RoutedCluster.cellOf;
import static dev.claimstream.allocation.cell.RoutedCluster.key;
import static dev.claimstream.allocation.cell.RoutedCluster.pendingReason;
import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.allocation.router.RouterFact;
import dev.claimstream.allocation.router.RouterRow;
import dev.claimstream.allocation.sample.SampleObjects;
import dev.claimstream.allocation.solver.Reason;
import dev.claimstream.dra.ClaimConsumer;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.Namespace;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.ObjectMeta;
import dev.claimstream.dra.Pod;
import dev.claimstream.dra.ResourceClaim;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Tests with two or three cells which cell allocates an item, and the reason of a pending item. */
class RouterTest {
    private final RoutedCluster cluster = new RoutedCluster();
    private final SimulatedApiServer apiServer = cluster.apiServer;

    @Test
    void allocatesInOtherCellIfFirstLacksNodeResources() {
        var simulation = cluster.simulate(2);
        cluster.nodeWithResources("a", "0", "1 cpu and 9 pods");
        cluster.nodeWithResources("b", "1", "8 cpu and 9 pods");
        var pod = cluster.pod("p", ItemSentences.parseResources("4 cpu"), "c");
        cluster.claim("c", "r: 1 gpu");
        cluster.settle(simulation);
        assertThat(allocatingCell(simulation, ItemId.pod(pod.key()))).contains(1);
    }

    @Test
    void findsAllocationThatRouterDoesNotKnow() {
        var simulation = cluster.simulate(2);
        cluster.node("a", "0", 1);
        var claim = cluster.claim("c", "r: 1 gpu");
        cluster.settle(simulation);
        simulation.router().rows().entrySet().stream()
                .filter(row -> row.getValue() instanceof RouterRow.BoundClaimRow)
                .toList()
                .forEach(row -> simulation.router().apply(new RouterFact.RouterRowDrop(row.getKey())));
        assertThat(simulation.findOmissions())
                .contains("%s is allocated in cell 0, and the router does not know it".formatted(claim.key()));
    }

    @Test
    void keepsAdminAccessAfterNamespaceLosesLabel() {
        var simulation = cluster.simulate(2);
        cluster.node("a", "0", 1);
        var labels = new TreeMap<String, String>();
        labels.put(Namespace.ADMIN_ACCESS_LABEL, "true");
        apiServer.write(new Namespace(ObjectMeta.of("", "default", "uid-ns").withLabels(labels)));
        cluster.claim("c", "r: 1 gpu admin");
        var first = cluster.pod("p", "c");
        cluster.settle(simulation);
        assertThat(allocatingCell(simulation, ItemId.pod(first.key()))).contains(0);

        labels.put(Namespace.ADMIN_ACCESS_LABEL, "false");
        apiServer.write(new Namespace(ObjectMeta.of("", "default", "uid-ns").withLabels(labels)));
        var second = cluster.pod("q", "c");
        cluster.settle(simulation);
        assertThat(allocatingCell(simulation, ItemId.pod(second.key()))).contains(0);
    }

    @Test
    void allocatesPendingItemInFirstCellWhereItFits() {
        var simulation = cluster.simulate(2);
        cluster.node("a", "0", 2);
        cluster.node("b", "1", 1);
        cluster.claim("small", "r: 1 gpu");
        cluster.settle(simulation);
        var large = cluster.claim("large", "r: 3 gpu");
        cluster.settle(simulation);
        assertThat(pendingReason(simulation, ItemId.claim(large.key()))).contains(Reason.InsufficientDevicesPerNode);

        cluster.node("b", "1", 4);
        cluster.settle(simulation);
        assertThat(allocatingCell(simulation, ItemId.claim(large.key()))).contains(1);
    }

    @Test
    void reportsReasonOfNearestCell() {
        var simulation = cluster.simulate(2);
        cluster.node("a", "0", 2);
        cluster.node("b", "1", 1);
        cluster.claim("first", "r: 2 gpu");
        cluster.settle(simulation);
        var second = cluster.claim("second", "r: 2 gpu");
        cluster.settle(simulation);
        assertThat(pendingReason(simulation, ItemId.claim(second.key()))).contains(Reason.DevicesInUse);
    }

    @Test
    void sendsSecondPodToCellOfSharedClaim() {
        var simulation = cluster.simulate(2);
        cluster.node("a", "0", 2);
        cluster.node("b", "1", 2);
        Pod first = cluster.pod("first", "shared");
        Pod second = cluster.pod("second", "shared", "own");
        cluster.claim("shared", "r: 1 gpu");
        cluster.claim("own", "r: 1 gpu");
        cluster.settle(simulation);
        int cell = allocatingCell(simulation, ItemId.pod(first.key())).orElseThrow();
        assertThat(allocatingCell(simulation, ItemId.pod(second.key()))).contains(cell);
        assertThat(simulation
                        .cell(cell)
                        .decidedAllocation(simulation
                                .cell(cell)
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
    void reportsSpansCellsForClaimsInTwoCells() {
        var simulation = cluster.simulate(2);
        cluster.node("a", "0", 1);
        cluster.node("b", "1", 1);
        cluster.claim("one", "r: 1 gpu");
        cluster.claim("two", "r: 1 gpu");
        cluster.pod("p", "one");
        cluster.pod("q", "two");
        cluster.settle(simulation);
        Pod both = cluster.pod("both", "one", "two");
        cluster.settle(simulation);
        assertThat(pendingReason(simulation, ItemId.pod(both.key()))).contains(Reason.SpansCells);

        apiServer.delete(Kind.POD, key("q"), true);
        apiServer.delete(Kind.POD, key("both"), true);
        apiServer.delete(Kind.RESOURCE_CLAIM, key("two"), true);
        cluster.settle(simulation);
        assertThat(simulation.router().item(ItemId.pod(both.key()))).isEmpty();
        assertThat(simulation.outputs).contains(new Output.ExplanationDeleted(ItemId.pod(both.key())));
    }

    /** Until the writer answers, the claim may get the revoked devices, so no other cell may allocate it. */
    @Test
    void allocatesRevokedClaimInOtherCellAfterAnswer() {
        var simulation = cluster.simulate(2);
        cluster.node("node-0", "0", 1);
        cluster.node("node-1", "1", 1);
        ItemId item = ItemId.claim(cluster.claim("one", "r: 1 gpu").key());
        cluster.settle(simulation);
        int cell = allocatingCell(simulation, item).orElseThrow();

        String node = "node-" + cell;
        apiServer.write(SampleObjects.slice(node + "-slice", node, 2, 1, node, "nic-0 kind=nic"));
        cluster.settle(simulation);
        assertThat(pendingReason(simulation, item)).contains(Reason.Revoking);

        simulation.settleRevocations();
        assertThat(allocatingCell(simulation, item)).contains(1 - cell);
    }

    /** The first pod avoids its former node, so it leaves the cell after the release of its claim. */
    @Test
    void allocatesPodInOneCellAfterOtherPodLeavesItsCell() {
        var simulation = cluster.simulate(2);
        cluster.node("a", "0", 1);
        cluster.node("b", "1", 3);
        ResourceClaim one = cluster.claim("one", "r: 1 gpu");
        cluster.claim("two", "r: 2 gpu");
        Pod first = cluster.pod("p", "one");
        cluster.pod("q", "two");
        cluster.settle(simulation);
        assertThat(allocatingCell(simulation, ItemId.pod(first.key()))).contains(0);
        Pod both = cluster.pod("both", "one", "two");
        cluster.settle(simulation);
        assertThat(pendingReason(simulation, ItemId.pod(both.key()))).contains(Reason.SpansCells);

        ClaimRow.AllocationRow allocated =
                simulation.cell(0).decidedAllocation(one.meta().uid()).orElseThrow();
        apiServer.write(new ResourceClaim(
                one.meta(), one.spec(), Optional.of(allocated.allocation()), allocated.reservedFor()));
        cluster.settle(simulation);
        apiServer.write(one);
        cluster.settle(simulation);
        assertThat(allocatingCell(simulation, ItemId.pod(both.key()))).contains(1);
    }

    @Test
    void allocatesBoundPodAfterItsNodeMoves() {
        var simulation = cluster.simulate(2);
        cluster.node("a", "0", 1);
        cluster.node("b", "1", 1);
        cluster.claim("c", "r: 2 gpu");
        ItemId item = ItemId.pod(cluster.boundPod("p", "a", "c").key());
        cluster.settle(simulation);
        assertThat(pendingReason(simulation, item)).contains(Reason.InsufficientDevicesPerNode);

        cluster.node("a", "1", 1);
        cluster.settle(simulation);
        assertThat(cellOf(simulation, "a")).isEqualTo(1);
        cluster.node("a", "1", 2);
        cluster.settle(simulation);
        assertThat(allocatingCell(simulation, item)).contains(1);
    }

    @Test
    void keepsExplanationOfStandaloneClaimUntilDeletion() {
        var simulation = cluster.simulate(2);
        cluster.node("a", "0", 1);
        cluster.claim("one", "r: 1 gpu");
        cluster.settle(simulation);
        var explanationDeleted = new Output.ExplanationDeleted(ItemId.claim(key("one")));
        cluster.pod("p", "one");
        cluster.settle(simulation);
        assertThat(simulation.router().item(ItemId.claim(key("one")))).isEmpty();
        assertThat(simulation.outputs).doesNotContain(explanationDeleted);

        apiServer.delete(Kind.POD, key("p"), true);
        apiServer.delete(Kind.RESOURCE_CLAIM, key("one"), true);
        cluster.settle(simulation);
        assertThat(simulation.outputs).contains(explanationDeleted);
    }

    @Test
    void reportsIgnoredObservationOnce() {
        var simulation = cluster.simulate(2);
        cluster.node("a", "0", 1);
        ResourceClaim one = cluster.claim("one", "r: 1 gpu");
        cluster.settle(simulation);
        List<Observation> again = List.copyOf(cluster.observations);
        cluster.observations.addAll(again);
        cluster.settle(simulation);
        assertThat(simulation.ignored).as("what is only repeated").isEmpty();

        var foreignStamp = new Stamp("stranger", 1, 99);
        String uid = one.meta().uid();
        List<Observation> nothings = List.of(
                new Observation.ObjectUpserted(foreignStamp, one),
                new Observation.ObjectDeleted(foreignStamp, Kind.NODE, ObjectKey.cluster("a"), "uid-of-a"),
                new Observation.ObjectDeleted(
                        new Stamp(SimulatedApiServer.SOURCE, 1, 0), Kind.RESOURCE_CLAIM, one.key(), uid),
                new Observation.CommitOutcome(uid, 99, Observation.CommitOutcome.Result.REJECTED, "", 0));
        cluster.observations.addAll(nothings);
        cluster.settle(simulation);
        assertThat(simulation.ignored)
                .containsExactlyInAnyOrder(
                        new IgnoredObservation(nothings.get(0), IgnoredObservation.IgnoredReason.FOREIGN),
                        new IgnoredObservation(nothings.get(1), IgnoredObservation.IgnoredReason.FOREIGN),
                        new IgnoredObservation(nothings.get(2), IgnoredObservation.IgnoredReason.STALE),
                        new IgnoredObservation(nothings.get(3), IgnoredObservation.IgnoredReason.UNKNOWN_DECISION));
    }

    @Test
    void answersProbeOnceNoItemIsInTransit() {
        var simulation = cluster.simulate(3);
        cluster.node("a", "", 1);
        cluster.claim("one", "r: 1 gpu");
        cluster.claim("two", "r: 1 gpu");
        cluster.observations.add(new Observation.Probe("p", 0, 2));
        cluster.observations.add(new Observation.Probe("p", 1, 2));
        cluster.settle(simulation);
        assertThat(simulation.outputs).contains(new Output.ProbeAnswered("p", 1, 1));
    }

    @Test
    void usesEachDecisionNumberOnce() {
        var simulation = cluster.simulate(3);
        cluster.node("a", "", 2);
        cluster.node("b", "", 1);
        for (int i = 0; i < 6; i++) {
            cluster.claim("claim-" + i, "r: 1 gpu");
        }
        cluster.settle(simulation);
        apiServer.delete(Kind.RESOURCE_CLAIM, key("claim-0"), true);
        apiServer.delete(Kind.RESOURCE_CLAIM, key("claim-1"), true);
        cluster.settle(simulation);
        List<Long> numbers = simulation.outputs.stream()
                .filter(Output.DecisionMade.class::isInstance)
                .map(each -> ((Output.DecisionMade) each).decision())
                .filter(each -> !(each.result() instanceof Decision.DecisionResult.Released))
                .map(Decision::number)
                .toList();
        assertThat(numbers).doesNotHaveDuplicates().hasSizeGreaterThan(6);
    }
}
