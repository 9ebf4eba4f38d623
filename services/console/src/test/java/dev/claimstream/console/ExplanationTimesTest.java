package dev.claimstream.console;

import static dev.claimstream.console.SmallCluster.key;
import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.allocation.cell.Explanation;
import dev.claimstream.allocation.cell.ItemId;
import dev.claimstream.allocation.cell.Observation;
import dev.claimstream.allocation.cell.Output;
import dev.claimstream.allocation.cell.Stamp;
import dev.claimstream.allocation.solver.AllocationPlan;
import dev.claimstream.allocation.solver.Reason;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Tests whether the explanation of a pending item is current. */
class ExplanationTimesTest {
    private static final ItemId ITEM = ItemId.claim(key("a"));

    private final ExplanationTimes times = new ExplanationTimes();

    private static Instant second(int number) {
        return Instant.EPOCH.plusSeconds(number);
    }

    private void addExplanation(Reason reason, int second) {
        var diagnosis = new AllocationPlan.PendingDiagnosis(reason, "text", Optional.empty());
        var because = new Explanation.ExplanationDetail.Pending(diagnosis, List.of());
        times.explained(new Explanation(ITEM, List.of(key("a")), 0, because), second(second));
    }

    private void addChange(int second) {
        times.observe(new Observation.NodeLiveness(new Stamp("agent", 1, second), "node-1", true), second(second));
    }

    private void refresh(int second, ItemId... except) {
        times.refreshed(new Output.TextsRefreshed(second(second), List.of(except)));
    }

    private ExplanationTime time() {
        return times.of(ITEM).orElseThrow();
    }

    @Test
    void textIsCurrentUntilSomethingChangesAndAfterTheNextRefresh() {
        addExplanation(Reason.DevicesInUse, 1);
        assertThat(time()).isEqualTo(new ExplanationTime(second(1), true, true));
        addChange(2);
        assertThat(time()).isEqualTo(new ExplanationTime(second(1), false, true));
        refresh(3);
        assertThat(time()).isEqualTo(new ExplanationTime(second(3), true, true));
    }

    @Test
    void keepsTimeOfTextSkippedByRefresh() {
        addExplanation(Reason.DevicesInUse, 1);
        addChange(2);
        refresh(3, ITEM);
        assertThat(time()).isEqualTo(new ExplanationTime(second(1), false, false));
        assertThat(time().text()).contains("computed again with the next decision");
        refresh(4);
        assertThat(time().isCurrent()).isTrue();
    }

    @Test
    void refreshKeepsTextOfExhaustedSearchBudget() {
        addExplanation(Reason.SearchBudgetExhausted, 1);
        addChange(2);
        refresh(3);
        assertThat(time()).isEqualTo(new ExplanationTime(second(1), false, false));
        addExplanation(Reason.DevicesInUse, 2);
        assertThat(time()).isEqualTo(new ExplanationTime(second(3), true, true));
    }

    @Test
    void laterChangesDoNotProlongTheWait() {
        addExplanation(Reason.DevicesInUse, 1);
        addChange(2);
        Instant asked = times.lastChange();
        assertThat(time().isFreshAt(asked)).isFalse();
        refresh(3);
        addChange(4);
        assertThat(time().isFreshAt(asked)).isTrue();
        assertThat(time().isCurrent()).isFalse();
    }
}
