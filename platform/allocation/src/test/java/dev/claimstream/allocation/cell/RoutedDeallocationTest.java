package dev.claimstream.allocation.cell;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.allocation.router.Router;
import dev.claimstream.allocation.router.RouterOutput;
import dev.claimstream.allocation.router.RouterRow;
import dev.claimstream.allocation.router.RouterState;
import dev.claimstream.allocation.sample.SampleObjects;
import dev.claimstream.allocation.sample.TextSelectors;
import dev.claimstream.allocation.solver.AllocationPlan;
import dev.claimstream.allocation.solver.Reason;
import dev.claimstream.dra.Allocation;
import dev.claimstream.dra.ClaimConsumer;
import dev.claimstream.dra.DeviceClass;
import dev.claimstream.dra.DeviceId;
import dev.claimstream.dra.DeviceResult;
import dev.claimstream.dra.NodeSelector;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.Pod;
import dev.claimstream.dra.ResourceClaim;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Tests deallocations with several cells: a cell proposes them, and the router decides. */
class RoutedDeallocationTest {
    private static final ObjectKey CLAIM = DeallocatingCluster.key("x");
    private static final ItemId ITEM = ItemId.pod(DeallocatingCluster.key("pod"));

    private final DeallocatingCluster cluster = new DeallocatingCluster(3, 1);

    /** A claim that a cell has allocated on the node of cell 0, and that no pod uses any more. */
    private void allocateOnFirstNode() {
        cluster.node("a", 0, false);
        cluster.pool("a", 1, 0, 1);
        cluster.claim("x", "r: 1 gpu");
        Pod former = cluster.gatedPod("former", Optional.of(0), "x");
        cluster.finish();
        assertThat(DeallocatingCluster.nodeOf(claim())).contains("a");
        cluster.delete(former);
        cluster.removeDeletedConsumers();
        cluster.finish();
    }

    private ResourceClaim claim() {
        return cluster.findClaim(CLAIM).orElseThrow();
    }

    private void addNodeB() {
        cluster.node("b", 1, false);
        cluster.pool("b", 1, 0, 1);
    }

    private Optional<Reason> reason() {
        return RoutedCluster.pendingReason(cluster.simulation, ITEM);
    }

    @Test
    void deallocatesForPodThatFitsInOtherCell() {
        allocateOnFirstNode();
        addNodeB();
        cluster.gatedPod("pod", Optional.of(1), "x");
        cluster.settle();
        assertThat(cluster.deallocations).hasSize(1);
        assertThat(cluster.deallocations.getFirst().item()).isEqualTo(ITEM);
        assertThat(reason()).contains(Reason.Reallocating);
        assertThat(cluster.simulation.cell(0).freeDevices())
                .as("before the clear")
                .isZero();

        cluster.finish();
        assertThat(DeallocatingCluster.nodeOf(claim())).contains("b");
        assertThat(cluster.findPod(ITEM.key()).orElseThrow().isGated()).isFalse();
        assertThat(cluster.deallocations).hasSize(1);
        cluster.claim("y", "r: 1 gpu");
        cluster.gatedPod("second", Optional.of(0), "y");
        cluster.finish();
        assertThat(DeallocatingCluster.nodeOf(
                        cluster.findClaim(DeallocatingCluster.key("y")).orElseThrow()))
                .as("the device is free")
                .contains("a");
        assertThat(cluster.simulation.findOmissions()).isEmpty();
    }

    @Test
    void deallocatesClaimOfOtherAllocatorOnMissingNode() {
        addNodeB();
        ResourceClaim claim = cluster.claim("x", "r: 1 gpu");
        allocateByOther(claim, "gone", List.of());
        cluster.gatedPod("pod", Optional.empty(), "x");
        cluster.finish();
        assertThat(DeallocatingCluster.nodeOf(claim())).contains("b");
        assertThat(cluster.deallocations).hasSize(1);
    }

    private void allocateByOther(ResourceClaim claim, String node, List<ClaimConsumer> consumers) {
        cluster.write(
                claim,
                Optional.of(new Allocation(
                        List.of(DeviceResult.of("r", new DeviceId(SampleObjects.DRIVER, node, "gpu-0"))),
                        List.of(),
                        Optional.of(NodeSelector.ofNode(node)),
                        Optional.empty())),
                consumers);
    }

    @Test
    void deallocatesReservedClaimAfterNodeIsCordoned() {
        cluster.node("a", 0, true);
        cluster.pool("a", 1, 0, 1);
        addNodeB();
        ResourceClaim claim = cluster.claim("x", "r: 1 gpu");
        Pod pod = cluster.gatedPod("pod", Optional.empty(), "x");
        allocateByOther(claim, "a", List.of(ClaimConsumer.pod("pod", pod.meta().uid())));
        cluster.finish();
        assertThat(DeallocatingCluster.nodeOf(claim())).contains("b");
        assertThat(cluster.deallocations).hasSize(1);
    }

    @Test
    void opensGateOfPodWhoseNodeAdmitsIt() {
        cluster.node("a", 0, false);
        cluster.pool("a", 1, 0, 1);
        addNodeB();
        ResourceClaim claim = cluster.claim("x", "r: 1 gpu");
        Pod pod = cluster.gatedPod("pod", Optional.empty(), "x");
        allocateByOther(claim, "a", List.of(ClaimConsumer.pod("pod", pod.meta().uid())));
        cluster.finish();
        assertThat(cluster.deallocations).isEmpty();
        assertThat(cluster.findPod(ITEM.key()).orElseThrow().isGated()).isFalse();
    }

    @Test
    void opensGateAfterCordonedNodeIsUncordoned() {
        cluster.node("a", 0, true);
        cluster.pool("a", 1, 0, 1);
        ResourceClaim claim = cluster.claim("x", "r: 1 gpu");
        Pod pod = cluster.gatedPod("pod", Optional.empty(), "x");
        allocateByOther(claim, "a", List.of(ClaimConsumer.pod("pod", pod.meta().uid())));
        cluster.finish();
        assertThat(reason()).isPresent();
        cluster.node("a", 0, false);
        cluster.finish();
        assertThat(cluster.deallocations).isEmpty();
        assertThat(cluster.findPod(ITEM.key()).orElseThrow().isGated()).isFalse();
    }

    @Test
    void deallocatesOnceNodeJoinsOtherCell() {
        allocateOnFirstNode();
        cluster.gatedPod("pod", Optional.of(1), "x");
        cluster.finish();
        assertThat(cluster.deallocations).isEmpty();
        assertThat(reason()).contains(Reason.NoUsableNode);
        addNodeB();
        cluster.finish();
        assertThat(cluster.deallocations).hasSize(1);
        assertThat(DeallocatingCluster.nodeOf(claim())).contains("b");
    }

    @Test
    void keepsClaimThatIsReservedForOtherPod() {
        cluster.node("a", 0, false);
        cluster.pool("a", 1, 0, 1);
        addNodeB();
        cluster.claim("x", "r: 1 gpu");
        cluster.gatedPod("former", Optional.of(0), "x");
        cluster.finish();
        cluster.gatedPod("pod", Optional.of(1), "x");
        cluster.finish();
        assertThat(cluster.deallocations).isEmpty();
        assertThat(reason()).isPresent();
    }

    @Test
    void doesNotAlternateBetweenPodsWithContradictorySelectors() {
        allocateOnFirstNode();
        addNodeB();
        cluster.gatedPod("pod", Optional.of(1), "x");
        cluster.gatedPod("second", Optional.of(0), "x");
        cluster.finish();
        assertThat(cluster.deallocations).hasSizeLessThan(2);
        assertThat(cluster.pods().stream().filter(Pod::isGated)).hasSize(1);
    }

    @Test
    void decidesAgainOnlyAfterRejectedClaimOrPodChanges() {
        allocateOnFirstNode();
        addNodeB();
        Pod pod = cluster.gatedPod("pod", Optional.of(1), "x");
        cluster.settle();
        assertThat(cluster.uncommitted()).isPositive();
        while (cluster.uncommitted() > 0) {
            cluster.commit(0, true);
        }
        cluster.finish();
        assertThat(cluster.deallocations).hasSize(1);
        assertThat(reason()).contains(Reason.NoUsableNode);

        cluster.node("c", 1, false);
        cluster.pool("c", 1, 0, 1);
        cluster.finish();
        assertThat(cluster.deallocations).as("after a change of nodes").hasSize(1);

        cluster.delete(pod);
        cluster.gatedPod("pod", Optional.of(1), "x");
        cluster.finish();
        assertThat(cluster.deallocations).as("after a change of the pod").hasSize(2);
        assertThat(DeallocatingCluster.nodeOf(claim())).isPresent().isNotEqualTo(Optional.of("a"));
    }

    /** Both claims are on the same node, and both pods fit on another node of the cell without their claims. */
    @Test
    void doesNotAlternateBetweenPodsWithRejectedDeallocations() {
        cluster.node("a", 0, false);
        cluster.pool("a", 1, 0, 2);
        for (String name : List.of("x", "y")) {
            cluster.claim(name, "r: 1 gpu");
            Pod former = cluster.gatedPod("former-" + name, Optional.of(0), name);
            cluster.finish();
            cluster.delete(former);
        }
        cluster.removeDeletedConsumers();
        cluster.node("a", 0, true);
        cluster.node("c", 0, false);
        cluster.pool("c", 1, 0, 2);
        cluster.gatedPod("pod", Optional.empty(), "x");
        cluster.gatedPod("second", Optional.empty(), "y");
        cluster.settle();
        assertThat(cluster.deallocations).hasSize(2);
        while (cluster.uncommitted() > 0) {
            cluster.commit(0, true);
        }
        cluster.finish();
        cluster.node("d", 0, false);
        cluster.pool("d", 1, 0, 2);
        cluster.finish();
        assertThat(cluster.deallocations).hasSize(2);
        assertThat(reason()).isPresent();

        cluster.node("a", 0, false);
        cluster.finish();
        assertThat(cluster.pods()).as("after the node is uncordoned").noneMatch(Pod::isGated);
        assertThat(cluster.deallocations).hasSize(2);
    }

    @Test
    void keepsPodInProposingCellWhileDeallocationIsOpen() {
        allocateOnFirstNode();
        addNodeB();
        cluster.gatedPod("pod", Optional.of(1), "x");
        cluster.settle();
        assertThat(reason()).contains(Reason.Reallocating);
        cluster.node("c", 1, false);
        cluster.pool("c", 1, 0, 1);
        cluster.settle();
        assertThat(cluster.simulation.cell(1).isReturned(ITEM)).isTrue();
        assertThat(cluster.simulation.cell(1).offeredItems()).isEmpty();
        cluster.finish();
        assertThat(cluster.deallocations).hasSize(1);
        assertThat(cluster.findPod(ITEM.key()).orElseThrow().isGated()).isFalse();
    }

    @Test
    void reallocatesLostDeviceAtOnceOnSameNode() {
        cluster.node("a", 0, false);
        cluster.pool("a", 1, 0, 1);
        addNodeB();
        cluster.claim("x", "r: 1 gpu");
        Pod former = cluster.gatedPod("former", Optional.of(0), "x");
        cluster.finish();
        cluster.delete(former);
        cluster.removeDeletedConsumers();
        cluster.pool("a", 2, 5, 1);
        cluster.gatedPod("pod", Optional.of(0), "x");
        cluster.finish();
        assertThat(cluster.deallocations).hasSize(1);
        assertThat(DeallocatingCluster.nodeOf(claim())).contains("a");
        assertThat(cluster.findPod(ITEM.key()).orElseThrow().isGated()).isFalse();
    }

    @Test
    void keepsLostDeviceIfNoOtherFits() {
        allocateOnFirstNode();
        cluster.pool("a", 2, 5, 0);
        cluster.gatedPod("pod", Optional.of(0), "x");
        cluster.finish();
        assertThat(cluster.deallocations).isEmpty();
        assertThat(reason()).contains(Reason.DeviceNotPublished);
    }

    /** A router whose pod is assigned in the second round, with a claim that no cell has allocated. */
    private final class SecondRound {
        private final RoutedCluster steps = new RoutedCluster();
        private final Router router = new Router(new RouterState(2));
        private final ResourceClaim claim = cluster.claim("x", "r: 1 gpu");
        private final Pod pod = cluster.gatedPod("pod", Optional.empty(), "x");

        SecondRound() {
            allocateByOther(claim, "gone", List.of());
            List<Observation> all = cluster.observations;
            List.of(all.getFirst(), all.get(2), all.getLast()) // the class, the pod, the allocated claim
                    .forEach(observation -> steps.route(router, observation));
            for (int cell = 0; cell < 2; cell++) {
                assertThat(assignment().deallocatable()).isEmpty();
                returnItem();
            }
            assertThat(assignment().deallocatable())
                    .containsExactly(claim.meta().uid());
        }

        private RouterRow.ItemLocation.AssignedToCell assignment() {
            return (RouterRow.ItemLocation.AssignedToCell)
                    router.state().item(ITEM).orElseThrow().location();
        }

        private List<RouterOutput> returnItem() {
            var detail = new Explanation.ExplanationDetail.Pending(
                    new AllocationPlan.PendingDiagnosis(Reason.NoUsableNode, "none", Optional.empty()), List.of());
            return steps.report(
                    router,
                    assignment().cell(),
                    new CellReport.ItemReturned(
                            ITEM,
                            assignment().attempt(),
                            0,
                            detail,
                            List.of(claim.meta().uid())));
        }

        private List<Decision> deallocations(int cell, long attempt) {
            ResourceClaim allocated = claim();
            var result = new Decision.DecisionResult.Deallocation(
                    allocated.allocation().orElseThrow(),
                    ClaimConsumer.pod("pod", pod.meta().uid()),
                    cluster.version(allocated),
                    "it fits here");
            var proposed = new CellReport.DeallocationProposed(
                    ITEM, attempt, 0, List.of(new Decision(CLAIM, claim.meta().uid(), 0, ITEM, result)));
            return steps.report(router, cell, proposed).stream()
                    .filter(RouterOutput.PublicOutput.class::isInstance)
                    .map(output -> ((RouterOutput.PublicOutput) output).output())
                    .filter(Output.DecisionMade.class::isInstance)
                    .map(output -> ((Output.DecisionMade) output).decision())
                    .filter(decision -> decision.result() instanceof Decision.DecisionResult.Deallocation)
                    .toList();
        }

        private void offer(int cell) {
            steps.report(router, cell, new CellReport.OfferMade(ITEM, false));
        }

        private void routeLast() {
            steps.route(router, cluster.observations.getLast());
        }
    }

    @Test
    void decidesFirstProposalAndIgnoresOthers() {
        var round = new SecondRound();
        RouterRow.ItemLocation.AssignedToCell assignment = round.assignment();
        assertThat(round.deallocations(1 - assignment.cell(), assignment.attempt()))
                .as("of a cell without the lease")
                .isEmpty();
        assertThat(round.deallocations(assignment.cell(), assignment.attempt() - 1))
                .as("of an earlier attempt")
                .isEmpty();
        assertThat(round.deallocations(assignment.cell(), assignment.attempt())).hasSize(1);
        assertThat(round.deallocations(assignment.cell(), assignment.attempt()))
                .as("repeated")
                .isEmpty();
        assertThat(round.router.state().item(ITEM).flatMap(RouterRow.ItemLocationRow::reason))
                .contains(Reason.Reallocating);
    }

    @Test
    void discardsProposalAfterClaimHasChanged() {
        var round = new SecondRound();
        RouterRow.ItemLocation.AssignedToCell assignment = round.assignment();
        cluster.write(claim());
        round.routeLast();
        assertThat(round.deallocations(assignment.cell(), assignment.attempt())).isEmpty();
        assertThat(round.assignment().attempt()).isGreaterThan(assignment.attempt());
        assertThat(round.assignment().deallocatable())
                .as("the first round again")
                .isEmpty();
    }

    @Test
    void asksCellWithOpenOfferBeforeDeallocation() {
        var round = new SecondRound();
        RouterRow.ItemLocation.AssignedToCell assignment = round.assignment();
        round.offer(1 - assignment.cell());
        assertThat(round.deallocations(assignment.cell(), assignment.attempt())).isEmpty();
        assertThat(round.assignment().cell()).isEqualTo(1 - assignment.cell());
        assertThat(round.assignment().deallocatable()).as("the first round").isEmpty();
    }

    @Test
    void asksNextCellAfterRefusedProposal() {
        var round = new SecondRound();
        RouterRow.ItemLocation.AssignedToCell assignment = round.assignment();
        cluster.boundPod("bound", "gone", "x");
        round.routeLast();
        assertThat(round.deallocations(assignment.cell(), assignment.attempt())).isEmpty();
        assertThat(round.assignment().cell()).isEqualTo(1 - assignment.cell());
        assertThat(round.assignment().deallocatable())
                .as("the second round")
                .containsExactly(round.claim.meta().uid());
        assertThat(round.deallocations(
                        round.assignment().cell(), round.assignment().attempt()))
                .isEmpty();
        assertThat(round.router.state().item(ITEM).flatMap(RouterRow.ItemLocationRow::reason))
                .contains(Reason.NoUsableNode);
    }

    /** The claim may be unmanaged now, which only the cells know. */
    @Test
    void discardsProposalAfterClassHasChanged() {
        var round = new SecondRound();
        RouterRow.ItemLocation.AssignedToCell assignment = round.assignment();
        cluster.apiServer.write(SampleObjects.deviceClass("gpu", "kind=gpu"));
        round.routeLast();
        assertThat(round.deallocations(assignment.cell(), assignment.attempt())).isEmpty();
        assertThat(round.assignment().deallocatable()).as("the first round").isEmpty();
    }

    /** kube-scheduler clears a claim that was allocated in a second round. */
    @Test
    void avoidsNodeOfAllocationInSecondRoundAfterClear() {
        cluster.node("a", 0, false);
        cluster.pool("a", 1, 0, 1);
        ResourceClaim claim = cluster.claim("x", "r: 1 gpu");
        cluster.gatedPod("pod", Optional.empty(), "x");
        var cell = new Cell(new State(new TextSelectors(), new CellIdentity(0, 2, 1)));
        List<Observation> inputs = new ArrayList<>(cluster.observations);
        inputs.add(new Observation.ItemAssigned(
                ITEM, "uid-2", 1, 0, List.of(claim.meta().uid())));
        for (Observation input : inputs) {
            step(cell, input);
        }
        Allocation allocation =
                cell.state().decidedAllocation(claim.meta().uid()).orElseThrow().allocation();
        cluster.write(claim, Optional.of(allocation), List.of());
        step(cell, cluster.observations.getLast());
        cluster.write(claim);
        step(cell, cluster.observations.getLast());
        assertThat(cell.state().rows(SchedulingRow.AvoidedNodeRow.allOf(ITEM)))
                .extracting(SchedulingRow.AvoidedNodeRow::node)
                .containsExactly("a");
    }

    private static void step(Cell cell, Observation observation) {
        cell.step(new Input(cell.state().count().offset() + 1, History.START, observation));
    }

    @Test
    void sendsOutcomeOfDeallocationToNoCell() {
        var round = new SecondRound();
        RouterRow.ItemLocation.AssignedToCell assignment = round.assignment();
        Decision decision =
                round.deallocations(assignment.cell(), assignment.attempt()).getFirst();
        var rejection = new Observation.CommitOutcome(
                decision.claimUid(),
                decision.number(),
                Observation.CommitOutcome.Result.REJECTED,
                "it is in use",
                cluster.version(claim()));
        assertThat(round.steps.route(round.router, rejection))
                .noneMatch(output -> output instanceof RouterOutput.CellObservation(var _, var sent)
                        && sent instanceof Observation.CommitOutcome);
        round.returnItem();
        round.returnItem();
        assertThat(round.router.state().item(ITEM).flatMap(RouterRow.ItemLocationRow::reason))
                .as("no second round after a rejection")
                .contains(Reason.NoUsableNode);
    }

    @Test
    void decidesUnmanagedAllocatedClaimsSoThatGateOpens() {
        DeviceClass managed = SampleObjects.deviceClass("net", "kind=net");
        cluster.apiServer.write(new DeviceClass(
                managed.meta(),
                managed.selectors(),
                managed.config(),
                managed.extendedResourceName(),
                DeviceClass.ClassAllocator.OTHERS));
        addNodeB();
        ResourceClaim claim = cluster.claim("x", "r: 1 net");
        allocateByOther(claim, "gone", List.of());
        cluster.gatedPod("pod", Optional.empty(), "x");
        cluster.settle();
        assertThat(cluster.simulation.outputs)
                .filteredOn(Output.DecisionMade.class::isInstance)
                .extracting(output -> ((Output.DecisionMade) output).decision())
                .filteredOn(decision -> decision.item().equals(ITEM))
                .extracting(Decision::result)
                .hasSize(1)
                .allSatisfy(result -> assertThat(result)
                        .isInstanceOfSatisfying(
                                Decision.DecisionResult.Pending.class,
                                pending -> assertThat(pending.reason()).isEqualTo(Reason.Unmanaged)));
    }
}
