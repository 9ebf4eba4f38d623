package dev.claimstream.allocation.cell;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests a cell that lost its state, and restores earlier decisions before it observes objects. */
final class DecisionRestoreTest {
    private static final String[] CLUSTER = {"class gpu exists", "node-1 joins with 2 gpu"};

    private final CellFixture before = new CellFixture();
    private final CellFixture after = new CellFixture();

    private static void execute(CellFixture stage, String... sentences) {
        var actions = new Sentences();
        ItemSentences.addTo(actions, stage);
        ClusterSentences.addTo(actions, stage);
        for (String sentence : sentences) {
            assertThat(actions.execute(sentence)).as(sentence).isPresent();
        }
        stage.run();
    }

    /** Allocates claim a, the second claim of both clusters, so that its UIDs are equal. */
    private Decision decideAllocation() {
        execute(before, CLUSTER);
        execute(before, "claim z requests 9 gpu");
        execute(before, "claim a requests 1 gpu");
        return before.decisions().getLast();
    }

    private void restore(Decision decision) {
        after.observe(new Observation.DecisionRestored(decision));
        after.run();
    }

    private static Decision releaseOf(Decision decision) {
        return new Decision(
                decision.claim(),
                decision.claimUid(),
                decision.number(),
                decision.item(),
                new Decision.DecisionResult.Released());
    }

    /** The devices stay allocated although neither devices nor claim are known yet. */
    @Test
    void doesNotReallocateRestoredDevices() {
        Decision first = decideAllocation();
        restore(first);
        execute(after, CLUSTER);
        execute(after, "claim b requests 2 gpu");
        assertThat(after.decidedAllocation("b")).isEmpty();
        execute(after, "claim a requests 1 gpu");
        assertThat(after.decidedAllocation("a").map(ClaimRow.AllocationRow::number))
                .contains(first.number());
        assertThat(after.decidedAllocation("a").map(ClaimRow.AllocationRow::allocation))
                .isEqualTo(before.decidedAllocation("a").map(ClaimRow.AllocationRow::allocation));
    }

    /** The writer ignores a decision on an older version of the claim. */
    @Test
    void repeatsUncommittedDecisionForChangedClaim() {
        Decision first = decideAllocation();
        restore(first);
        execute(after, CLUSTER);
        execute(after, "class other exists");
        execute(after, "claim b requests 2 gpu");
        execute(after, "claim a requests 1 gpu");
        ClaimRow.AllocationRow again = after.decidedAllocation("a").orElseThrow();
        assertThat(again.number()).isGreaterThan(first.number());
        assertThat(again.claimVersion()).isEqualTo(after.state().version(first.claim()));
        assertThat(again.allocation())
                .isEqualTo(before.decidedAllocation("a").orElseThrow().allocation());
        assertThat(after.decisions())
                .anySatisfy(decision -> assertThat(decision.result()).isEqualTo(again.result()));
    }

    @Test
    void releasesRestoredDecisionByNumber() {
        Decision first = decideAllocation();
        restore(first);
        restore(releaseOf(first));
        assertThat(after.decisions()).containsExactly(releaseOf(first));
        execute(after, CLUSTER);
        execute(after, "claim b requests 2 gpu");
        assertThat(after.decidedAllocation("b")).isPresent();
    }

    @Test
    void continuesNumbersAfterHighestRestored() {
        Decision first = decideAllocation();
        restore(new Decision(first.claim(), first.claimUid(), 41, first.item(), first.result()));
        execute(after, CLUSTER);
        execute(after, "claim b requests 1 gpu");
        assertThat(after.decidedAllocation("b").map(ClaimRow.AllocationRow::number))
                .contains(42L);
    }

    @Test
    void ignoresRepeatedOrOlderRestoredDecisions() {
        Decision first = decideAllocation();
        var newer = new Decision(first.claim(), first.claimUid(), first.number() + 1, first.item(), first.result());
        restore(newer);
        var rows = List.copyOf(after.state().rows().keySet());
        restore(newer);
        restore(first);
        restore(releaseOf(first));
        assertThat(List.copyOf(after.state().rows().keySet())).isEqualTo(rows);
        assertThat(after.decisions()).isEmpty();
    }
}
