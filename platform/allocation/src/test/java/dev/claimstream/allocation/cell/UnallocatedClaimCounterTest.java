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
    private final Stage stage = new Stage();
    private final Sentences acts = new Sentences();
    private final RoutedCluster cluster = new RoutedCluster();

    UnallocatedClaimCounterTest() {
        ItemActs.addTo(acts, stage);
        ClusterActs.addTo(acts, stage);
    }

    private void when(String... sentences) {
        for (String sentence : sentences) {
            assertThat(acts.act(sentence)).as(sentence).isPresent();
        }
        stage.play();
    }

    private static Map<String, Long> counted(Collection<ItemId> waiting, UnallocatedClaimCounter unserved) {
        var counted = new LinkedHashMap<String, Long>();
        waiting.forEach(item -> counted.put(item.key().name(), unserved.countFor(item)));
        return counted;
    }

    private Map<String, Long> waiting() {
        return counted(stage.state().pending().values(), stage.state().unallocated());
    }

    private static Map<String, Long> waiting(Several several) {
        return counted(several.router().pending().values(), several.router().unallocated());
    }

    @Test
    void aClaimThatSeveralPodsWaitForCountsWithTheFirst() {
        when("class gpu", "node-1 with 1 gpu", "claim shared wants 2 gpu", "claim alone wants 2 gpu");
        when("pod a uses claim shared", "pod b uses claim shared", "pod c uses claim shared");
        assertThat(waiting()).isEqualTo(Map.of("alone", 1L, "a", 1L, "b", 0L, "c", 0L));
        stage.world.delete(Kind.POD, Stage.key("a"), true);
        stage.play();
        assertThat(waiting()).isEqualTo(Map.of("alone", 1L, "b", 1L, "c", 0L));
    }

    @Test
    void whatAPodHasAlreadyDoesNotWait() {
        when("class gpu", "node-1 with 1 gpu", "claim has wants 1 gpu", "claim wants wants 1 gpu");
        when("pod half uses claim has and claim wants");
        assertThat(stage.grant("has")).isPresent();
        assertThat(waiting()).isEqualTo(Map.of("half", 1L));
    }

    @Test
    void whatSomebodyElseHasGivenDoesNotWait() {
        when("class gpu", "node-1 with 2 gpu", "claim theirs wants 1 gpu", "claim wants wants 2 gpu");
        when("somebody else gives node-1/gpu-0 to claim theirs", "pod half uses claim theirs and claim wants");
        assertThat(waiting()).isEqualTo(Map.of("half", 1L));
    }

    @Test
    void aClaimThatIsMissingOrNotMadeYetCounts() {
        when("class gpu", "node-1 with 1 gpu", "pod a uses claim missing", "pod b uses claim missing");
        when("template t wants 1 gpu", "pod c uses template t and template t");
        assertThat(waiting()).isEqualTo(Map.of("a", 1L, "b", 0L, "c", 2L));
    }

    @Test
    void severalCellsCountTheSameAsOne() {
        var several = cluster.several(2);
        cluster.node("a", "0", 1);
        cluster.node("b", "1", 1);
        cluster.claim("has", "r: 1 gpu");
        cluster.settle(several);
        cluster.pod("half", "has", "wants");
        cluster.claim("wants", "r: 1 gpu");
        for (String pod : List.of("x", "y", "z")) {
            cluster.pod(pod, "shared");
        }
        cluster.claim("shared", "r: 3 gpu");
        cluster.settle(several);
        assertThat(waiting(several)).isEqualTo(Map.of("half", 1L, "x", 1L, "y", 0L, "z", 0L));
        for (int cell = 0; cell < 2; cell++) {
            State state = several.cell(cell);
            assertThat(state.pending().values()).allMatch(state::isReturned);
        }
    }
}
