package dev.claimstream.allocation.cell;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.allocation.sample.SampleObjects;
import dev.claimstream.allocation.solver.PlacementPolicy;
import dev.claimstream.allocation.solver.Reason;
import dev.claimstream.dra.Pod;
import dev.claimstream.dra.ResourceClaim;
import java.time.Duration;
import java.util.Optional;
import java.util.TreeMap;
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
        cluster.observations.add(new Observation.SettingsChanged(new CellSettings(
                PlacementPolicy.FIRST_FIT,
                1,
                CellSettings.OVERTAKEN_DEFAULT,
                Duration.ZERO,
                false,
                true,
                new TreeMap<>(),
                CellSettings.defaults().features(),
                new WorkBudget(10, 0, 0, 3_000),
                "")));
        cluster.node("a", 0, false);
        cluster.apiServer.write(SampleObjects.slice(
                "a-slice",
                "a",
                1,
                1,
                "a",
                "gpu-0 kind=gpu n=0",
                "gpu-1 kind=gpu n=0",
                "gpu-2 kind=gpu n=0",
                "gpu-3 kind=gpu n=1",
                "gpu-4 kind=gpu n=1",
                "gpu-5 kind=gpu n=1"));
        cluster.claim("x", "r: 3 gpu; distinct n");
        cluster.gatedPod("pod", Optional.empty(), "x");
        cluster.finish();
        assertThat(cluster.simulation.cell(0).item(ITEM).flatMap(SchedulingRow.ItemRow::reason))
                .contains(Reason.SearchBudgetExhausted);
        assertThat(reason()).contains(Reason.SearchBudgetExhausted);
    }
}
