package dev.claimstream.allocation.cell;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests a cell that lost its state, and restores earlier decisions before it observes objects. */
final class RestoredTest {
    private static final String[] CLUSTER = {"class gpu", "node-1 with 2 gpu"};

    private final Stage before = new Stage();
    private final Stage after = new Stage();

    private static void play(Stage stage, String... sentences) {
        var acts = new Sentences();
        ItemActs.addTo(acts, stage);
        ClusterActs.addTo(acts, stage);
        for (String sentence : sentences) {
            assertThat(acts.act(sentence)).as(sentence).isPresent();
        }
        stage.play();
    }

    /** Allocates claim a, the second claim of both clusters, so that its UIDs are equal. */
    private Decision granted() {
        play(before, CLUSTER);
        play(before, "claim z wants 9 gpu");
        play(before, "claim a wants 1 gpu");
        return before.decisions().getLast();
    }

    private void restore(Decision decision) {
        after.observe(new Observation.DecisionRestored(decision));
        after.play();
    }

    private static Decision released(Decision decision) {
        return new Decision(
                decision.claim(),
                decision.claimUid(),
                decision.number(),
                decision.item(),
                new Decision.DecisionResult.Released());
    }

    /** The devices stay allocated although neither devices nor claim are known yet. */
    @Test
    void whatWasGivenIsNotGivenAgain() {
        Decision first = granted();
        restore(first);
        play(after, CLUSTER);
        play(after, "claim b wants 2 gpu");
        assertThat(after.grant("b")).isEmpty();
        play(after, "claim a wants 1 gpu");
        assertThat(after.grant("a").map(Row.AllocationRow::number)).contains(first.number());
        assertThat(after.grant("a").map(Row.AllocationRow::allocation))
                .isEqualTo(before.grant("a").map(Row.AllocationRow::allocation));
    }

    /** The writer ignores a decision on an older version of the claim. */
    @Test
    void whatIsOnItsWayIsSaidAgainForAClaimThatHasChanged() {
        Decision first = granted();
        restore(first);
        play(after, CLUSTER);
        play(after, "class other");
        play(after, "claim b wants 2 gpu");
        play(after, "claim a wants 1 gpu");
        Row.AllocationRow again = after.grant("a").orElseThrow();
        assertThat(again.number()).isGreaterThan(first.number());
        assertThat(again.claimVersion()).isEqualTo(after.state().version(first.claim()));
        assertThat(again.allocation()).isEqualTo(before.grant("a").orElseThrow().allocation());
        assertThat(after.decisions())
                .anySatisfy(decision -> assertThat(decision.result()).isEqualTo(again.result()));
    }

    @Test
    void whatIsReleasedByItsNumberIsFreeAndSaysSo() {
        Decision first = granted();
        restore(first);
        restore(released(first));
        assertThat(after.decisions()).containsExactly(released(first));
        play(after, CLUSTER);
        play(after, "claim b wants 2 gpu");
        assertThat(after.grant("b")).isPresent();
    }

    @Test
    void numbersGoOnAboveTheHighest() {
        Decision first = granted();
        restore(new Decision(first.claim(), first.claimUid(), 41, first.item(), first.result()));
        play(after, CLUSTER);
        play(after, "claim b wants 1 gpu");
        assertThat(after.grant("b").map(Row.AllocationRow::number)).contains(42L);
    }

    @Test
    void beingToldTwiceOrLateChangesNothing() {
        Decision first = granted();
        var newer = new Decision(first.claim(), first.claimUid(), first.number() + 1, first.item(), first.result());
        restore(newer);
        var rows = List.copyOf(after.state().rows().keySet());
        restore(newer);
        restore(first);
        restore(released(first));
        assertThat(List.copyOf(after.state().rows().keySet())).isEqualTo(rows);
        assertThat(after.decisions()).isEmpty();
    }
}
