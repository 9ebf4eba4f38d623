package dev.claimstream.allocation.cell;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.dra.Kind;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Tests the number of unallocated claims, and the item that each claim counts for. */
final class UnallocatedClaimCounterTest {
    private final CellFixture stage = new CellFixture();
    private final Sentences actions = new Sentences();
    private final RoutedCluster cluster = new RoutedCluster();

    UnallocatedClaimCounterTest() {
        ItemSentences.addTo(actions, stage);
        ClusterSentences.addTo(actions, stage);
    }

    private void execute(String... sentences) {
        for (String sentence : sentences) {
            assertThat(actions.execute(sentence)).as(sentence).isPresent();
        }
        stage.run();
    }

    private static Map<String, Long> countByItem(Collection<ItemId> pending, UnallocatedClaimCounter counter) {
        var counted = new LinkedHashMap<String, Long>();
        pending.forEach(item -> counted.put(item.key().name(), counter.countFor(item)));
        return counted;
    }

    private Map<String, Long> pendingCounts() {
        return countByItem(stage.state().pending().values(), stage.state().unallocated());
    }

    private static Map<String, Long> pendingCounts(MultiCellSimulation simulation) {
        return countByItem(
                simulation.router().pending().values(), simulation.router().unallocated());
    }

    @Test
    void countsSharedClaimForFirstPodOnly() {
        execute(
                "class gpu exists",
                "node-1 joins with 1 gpu",
                "claim shared requests 2 gpu",
                "claim alone requests 2 gpu");
        execute("pod a uses claim shared", "pod b uses claim shared", "pod c uses claim shared");
        assertThat(pendingCounts()).isEqualTo(Map.of("alone", 1L, "a", 1L, "b", 0L, "c", 0L));
        stage.apiServer.delete(Kind.POD, CellFixture.key("a"), true);
        stage.run();
        assertThat(pendingCounts()).isEqualTo(Map.of("alone", 1L, "b", 1L, "c", 0L));
    }

    @Test
    void doesNotCountAllocatedClaim() {
        execute(
                "class gpu exists",
                "node-1 joins with 1 gpu",
                "claim allocated requests 1 gpu",
                "claim pending requests 1 gpu");
        execute("pod half uses claim allocated and claim pending");
        assertThat(stage.decidedAllocation("allocated")).isPresent();
        assertThat(pendingCounts()).isEqualTo(Map.of("half", 1L));
    }

    @Test
    void doesNotCountUnmanagedAllocation() {
        execute(
                "class gpu exists",
                "node-1 joins with 2 gpu",
                "claim unmanaged requests 1 gpu",
                "claim pending requests 2 gpu");
        execute(
                "kube-scheduler allocates node-1/gpu-0 to claim unmanaged",
                "pod half uses claim unmanaged and claim pending");
        assertThat(pendingCounts()).isEqualTo(Map.of("half", 1L));
    }

    @Test
    void countsMissingAndUngeneratedClaims() {
        execute("class gpu exists", "node-1 joins with 1 gpu", "pod a uses claim missing", "pod b uses claim missing");
        execute("template t requests 1 gpu", "pod c uses template t and template t");
        assertThat(pendingCounts()).isEqualTo(Map.of("a", 1L, "b", 0L, "c", 2L));
    }

    @Test
    void countsSameInSeveralCells() {
        var simulation = cluster.simulate(2);
        cluster.node("a", "0", 1);
        cluster.node("b", "1", 1);
        cluster.claim("has", "r: 1 gpu");
        cluster.settle(simulation);
        cluster.pod("half", "has", "wants");
        cluster.claim("wants", "r: 1 gpu");
        for (String pod : List.of("x", "y", "z")) {
            cluster.pod(pod, "shared");
        }
        cluster.claim("shared", "r: 3 gpu");
        cluster.settle(simulation);
        assertThat(pendingCounts(simulation)).isEqualTo(Map.of("half", 1L, "x", 1L, "y", 0L, "z", 0L));
        for (int cell = 0; cell < 2; cell++) {
            State state = simulation.cell(cell);
            assertThat(state.pending().values()).allMatch(state::isReturned);
        }
    }
}
