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

    private void explained(Reason reason, int second) {
        var diagnosis = new AllocationPlan.PendingDiagnosis(reason, "text", Optional.empty());
        var because = new Explanation.ExplanationDetail.Pending(diagnosis, List.of());
        times.explained(new Explanation(ITEM, List.of(key("a")), 0, because), second(second));
    }

    private void changed(int second) {
        times.observe(new Observation.NodeLiveness(new Stamp("agent", 1, second), "node-1", true), second(second));
    }

    private void refreshed(int second, ItemId... except) {
        times.refreshed(new Output.TextsRefreshed(second(second), List.of(except)));
    }

    private ExplanationTime time() {
        return times.of(ITEM).orElseThrow();
    }

    @Test
    void textIsCurrentUntilSomethingChangesAndAfterTheNextRefresh() {
        explained(Reason.DevicesInUse, 1);
        assertThat(time()).isEqualTo(new ExplanationTime(second(1), true, true));
        changed(2);
        assertThat(time()).isEqualTo(new ExplanationTime(second(1), false, true));
        refreshed(3);
        assertThat(time()).isEqualTo(new ExplanationTime(second(3), true, true));
    }

    @Test
    void textThatTheRefreshLeftKeepsItsTime() {
        explained(Reason.DevicesInUse, 1);
        changed(2);
        refreshed(3, ITEM);
        assertThat(time()).isEqualTo(new ExplanationTime(second(1), false, false));
        assertThat(time().text()).contains("computed again with the next decision");
        refreshed(4);
        assertThat(time().isCurrent()).isTrue();
    }

    @Test
    void refreshDoesNotRenewTextOfUndecidedItem() {
        explained(Reason.Undecided, 1);
        changed(2);
        refreshed(3);
        assertThat(time()).isEqualTo(new ExplanationTime(second(1), false, false));
        explained(Reason.DevicesInUse, 2);
        assertThat(time()).isEqualTo(new ExplanationTime(second(3), true, true));
    }

    @Test
    void laterChangesDoNotProlongTheWait() {
        explained(Reason.DevicesInUse, 1);
        changed(2);
        Instant asked = times.lastChange();
        assertThat(time().isFreshAt(asked)).isFalse();
        refreshed(3);
        changed(4);
        assertThat(time().isFreshAt(asked)).isTrue();
        assertThat(time().isCurrent()).isFalse();
    }
}
