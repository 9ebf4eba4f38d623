package dev.claimstream.allocation.cell;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.allocation.sample.SampleObjects;
import dev.claimstream.allocation.sample.TextSelectors;
import dev.claimstream.allocation.solver.PlacementPolicy;
import dev.claimstream.allocation.solver.Reason;
import dev.claimstream.dra.Allocation;
import dev.claimstream.dra.DeviceId;
import dev.claimstream.dra.DeviceResult;
import dev.claimstream.dra.NodeSelector;
import dev.claimstream.dra.Pod;
import dev.claimstream.dra.ResourceClaim;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Tests several cells whose searches continue in slices. */
class RoutedWorkSlicesTest {
    private static final ItemId ITEM = ItemId.pod(DeallocatingCluster.key("pod"));

    private final DeallocatingCluster cluster = new DeallocatingCluster(2, 1);

    private void allocateOnFirstNode() {
        cluster.limitWork();
        cluster.node("a", 0, false);
        cluster.pool("a", 1, 0, 1);
        cluster.claim("x", "r: 1 gpu");
        cluster.gatedPod("former", Optional.of(0), "x");
        cluster.finish();
        assertThat(DeallocatingCluster.nodeOf(claim())).contains("a");
    }

    private ResourceClaim claim() {
        return cluster.findClaim(DeallocatingCluster.key("x")).orElseThrow();
    }

    private void deleteFormerPod() {
        Pod former = cluster.findPod(DeallocatingCluster.key("former")).orElseThrow();
        cluster.delete(former);
        cluster.removeDeletedConsumers();
        cluster.finish();
    }

    private Optional<Reason> reason() {
        return RoutedCluster.pendingReason(cluster.simulation, ITEM);
    }

    @Test
    void deallocatesForPodThatFitsInOtherCell() {
        allocateOnFirstNode();
        deleteFormerPod();
        cluster.node("b", 1, false);
        cluster.pool("b", 1, 0, 1);
        cluster.gatedPod("pod", Optional.of(1), "x");
        cluster.finish();
        assertThat(cluster.deallocations).hasSize(1);
        assertThat(DeallocatingCluster.nodeOf(claim())).contains("b");
        assertThat(cluster.findPod(ITEM.key()).orElseThrow().isGated()).isFalse();
    }

    @Test
    void deallocatesOnceNodeJoinsOtherCell() {
        allocateOnFirstNode();
        deleteFormerPod();
        cluster.gatedPod("pod", Optional.of(1), "x");
        cluster.finish();
        assertThat(cluster.deallocations).isEmpty();
        assertThat(reason()).contains(Reason.NoUsableNode);
        cluster.node("b", 1, false);
        cluster.pool("b", 1, 0, 1);
        cluster.finish();
        assertThat(cluster.deallocations).hasSize(1);
        assertThat(DeallocatingCluster.nodeOf(claim())).contains("b");
    }

    @Test
    void returnsPodOfReservedClaimOnce() {
        allocateOnFirstNode();
        cluster.gatedPod("pod", Optional.of(1), "x");
        cluster.finish();
        assertThat(cluster.deallocations).isEmpty();
        assertThat(reason()).contains(Reason.NoUsableNode);
        assertThat(cluster.simulation.outputs)
                .filteredOn(Output.ItemExplained.class::isInstance)
                .extracting(output -> ((Output.ItemExplained) output).explanation())
                .filteredOn(explanation -> explanation.item().equals(ITEM))
                .hasSizeLessThanOrEqualTo(2);
    }

    /** The claim needs three distinct values, and the devices have two. The router knows only of unfinished work before. */
    @Test
    void reportsExhaustedSearchBudgetAfterSlices() {
        limitSearch(1, 3_000);
        addDevicesWithTwoValues(6);
        cluster.claim("x", "r: 3 gpu; distinct n");
        cluster.gatedPod("pod", Optional.empty(), "x");
        cluster.finish();
        assertThat(cluster.simulation.cell(0).item(ITEM).flatMap(SchedulingRow.ItemRow::reason))
                .contains(Reason.SearchBudgetExhausted);
        assertThat(reason()).contains(Reason.SearchBudgetExhausted);
    }

    /** One slice suffices for the first search, and not for both. */
    @Test
    void continuesThoroughSearchOfLeasedPod() {
        limitSearch(20, 1_000);
        addDevicesWithTwoValues(60);
        allocateToOther("gpu-0");
        cluster.claim("y", "r: 3 gpu; distinct n");
        cluster.gatedPod("pod", Optional.empty(), "x", "y");
        cluster.finish();
        assertThat(reason()).contains(Reason.SearchBudgetExhausted);
        assertThat(cluster.simulation.cell(0).item(ITEM).map(SchedulingRow.ItemRow::thorough))
                .contains(true);
        assertThat(cluster.deallocations).isEmpty();
    }

    /** Without the device of the claim the pod has two of three values. With it, the search needs the larger budget. */
    private void addPodThatNeedsLongSearchAndDeallocation() {
        limitSearch(3, 100_000);
        addDevicesWithValues(60, 1);
        allocateToOther("gpu-60");
        cluster.claim("y", "r: 3 gpu; distinct n");
        cluster.gatedPod("pod", Optional.empty(), "x", "y");
    }

    @Test
    void deallocatesAfterLongSearchInSecondRound() {
        addPodThatNeedsLongSearchAndDeallocation();
        cluster.finish();
        assertThat(cluster.deallocations).hasSize(1);
        assertThat(cluster.findPod(ITEM.key()).orElseThrow().isGated()).isFalse();
    }

    /** The cell that made the proposal searches again beside all allocations, with its larger budget. */
    @Test
    void allocatesAfterNodeUpsertBeforeClear() {
        addPodThatNeedsLongSearchAndDeallocation();
        cluster.settle();
        assertThat(cluster.deallocations).hasSize(1);
        cluster.node("empty", 0, false);
        cluster.settle();
        assertThat(cluster.simulation.cell(0).item(ITEM).map(SchedulingRow.ItemRow::thorough))
                .as("used again before the clear")
                .contains(true);

        cluster.finish();
        assertThat(cluster.deallocations).hasSize(1);
        assertThat(cluster.findPod(ITEM.key()).orElseThrow().isGated()).isFalse();
    }

    /** As in a single cell, the progress is published after the second slice of each round, and then every 150 slices. */
    @Test
    void explainsUnfinishedSearchOfLeasedPod() {
        limitSearch(100_000, 30_000);
        addDevicesWithTwoValues(60);
        allocateToOther("gpu-0");
        cluster.claim("y", "r: 3 gpu; distinct n");
        cluster.gatedPod("pod", Optional.empty(), "x", "y");
        cluster.finish();
        List<Reason> published = publishedReasons();
        assertThat(published)
                .containsExactly(Reason.EvaluationPending, Reason.EvaluationPending, Reason.ConstraintUnsatisfied);
        assertThat(reason()).contains(Reason.ConstraintUnsatisfied);
    }

    @Test
    void reportsThoroughSearchThatBeganBeforeLease() {
        limitSearch(20, 1_000);
        Cell cell = cellWithReturnedPodInSlices(1);
        for (int i = 0; i < 100 && !isExhausted(cell); i++) {
            runSlices(cell, 1);
        }
        assertThat(isExhausted(cell)).isTrue();
        assertThat(cell.state().work(ITEM)).as("unfinished work").isPresent();
        assertThat(cell.state().item(ITEM).map(SchedulingRow.ItemRow::thorough)).contains(false);
        assertThat(reportedReasons(step(cell, assignment(2)))).containsExactly(Reason.SearchBudgetExhausted);
        assertThat(isExhausted(cell))
                .as("the next slice starts with the larger budget")
                .isTrue();
    }

    private static boolean isExhausted(Cell cell) {
        return cell.state()
                .item(ITEM)
                .flatMap(SchedulingRow.ItemRow::reason)
                .filter(Reason.SearchBudgetExhausted::equals)
                .isPresent();
    }

    @Test
    void reportsLongSearchThatBeganBeforeLease() {
        limitSearch(100_000, 300);
        Cell cell = cellWithReturnedPodInSlices(40);
        assertThat(reportedReasons(step(cell, assignment(2)))).containsExactly(Reason.EvaluationPending);
    }

    /** A cell that has returned the pod, and that has searched for some slices after devices were added. */
    private Cell cellWithReturnedPodInSlices(int slices) {
        var cell = new Cell(new State(new TextSelectors(), new CellIdentity(0, 2)));
        allocateToOther("gpu-0");
        cluster.claim("y", "r: 3 gpu; distinct n");
        cluster.gatedPod("pod", Optional.empty(), "x", "y");
        cluster.observations.forEach(observation -> step(cell, observation));
        step(cell, assignment(1));
        runSlices(cell, 1_000);
        assertThat(cell.state().isReturned(ITEM)).isTrue();
        int known = cluster.observations.size();
        addDevicesWithTwoValues(60);
        cluster.observations.subList(known, cluster.observations.size()).forEach(each -> step(cell, each));
        runSlices(cell, slices);
        assertThat(cell.state().work(ITEM)).as("unfinished work").isPresent();
        return cell;
    }

    private Observation assignment(long attempt) {
        String uid = cluster.findPod(ITEM.key()).orElseThrow().meta().uid();
        return new Observation.ItemAssigned(ITEM, uid, attempt, 0, List.of());
    }

    private static void runSlices(Cell cell, int slices) {
        for (int i = 0; i < slices && cell.state().hasUnfinishedWork(); i++) {
            step(cell, new Observation.WorkSliceDue(cell.state().nextSlice()));
        }
    }

    private static Step step(Cell cell, Observation observation) {
        return cell.step(new Input(cell.state().count().offset() + 1, History.START, observation));
    }

    private static List<Reason> reportedReasons(Step step) {
        return step.outputs().stream()
                .filter(output -> output instanceof Output.RouterMessage(CellReport.ReasonChanged reasoned)
                        && reasoned.item().equals(ITEM))
                .map(output -> ((CellReport.ReasonChanged) ((Output.RouterMessage) output).report())
                        .pending()
                        .diagnosis()
                        .reason())
                .toList();
    }

    /** A single cell answers after 900 slices, too. */
    @Test
    void answersProbeWhileSearchContinues() {
        limitSearch(100_000, 300);
        addDevicesWithTwoValues(60);
        allocateToOther("gpu-0");
        cluster.claim("y", "r: 3 gpu; distinct n");
        cluster.gatedPod("pod", Optional.empty(), "x", "y");
        cluster.gatedPod("blocked", Optional.empty(), "y");
        cluster.observations.add(new Observation.Probe("p", 0, 1));
        cluster.finish();
        List<Output> outputs = cluster.simulation.outputs;
        int answer = outputs.indexOf(new Output.ProbeAnswered("p", 0, 2));
        assertThat(answer).isNotNegative();
        assertThat(outputs.subList(0, answer))
                .filteredOn(Output.ItemExplained.class::isInstance)
                .extracting(
                        output -> ((Output.ItemExplained) output).explanation().item())
                .contains(ITEM, ItemId.pod(DeallocatingCluster.key("blocked")));
        assertThat(outputs.subList(answer, outputs.size()))
                .anyMatch(output -> output instanceof Output.ItemExplained(Explanation explanation)
                        && explanation.item().equals(ITEM));
    }

    private List<Reason> publishedReasons() {
        return cluster.simulation.outputs.stream()
                .filter(Output.ItemExplained.class::isInstance)
                .map(output -> ((Output.ItemExplained) output).explanation())
                .filter(explanation -> explanation.item().equals(ITEM))
                .map(explanation -> ((Explanation.ExplanationDetail.Pending) explanation.detail())
                        .diagnosis()
                        .reason())
                .toList();
    }

    private void allocateToOther(String device) {
        ResourceClaim claim = cluster.claim("x", "r: 1 gpu");
        cluster.write(
                claim,
                Optional.of(new Allocation(
                        List.of(DeviceResult.of("r", new DeviceId(SampleObjects.DRIVER, "a", device))),
                        List.of(),
                        Optional.of(NodeSelector.ofNode("a")),
                        Optional.empty())),
                List.of());
    }

    private void limitSearch(long steps, long slice) {
        cluster.observations.add(new Observation.SettingsChanged(CellSettings.builder()
                .policy(PlacementPolicy.FIRST_FIT)
                .searchStepsMax(steps)
                .work(new WorkBudget(10, 0, 0, slice))
                .build()));
    }

    private void addDevicesWithTwoValues(int devices) {
        addDevicesWithValues(devices, 0);
    }

    /** @param more further devices, each with a value of its own */
    private void addDevicesWithValues(int devices, int more) {
        cluster.node("a", 0, false);
        String[] texts = new String[devices + more];
        Arrays.setAll(texts, i -> "gpu-%d kind=gpu n=%d".formatted(i, i < devices ? 2 * i / devices : 2 + i - devices));
        cluster.apiServer.write(SampleObjects.slice("a-slice", "a", 1, 1, "a", texts));
    }
}
