package dev.claimstream.allocation.router;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.allocation.solver.Reason;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** Tests that the router can compare all reasons in which cells may differ. */
class MergedReasonTest {
    @Test
    void ordersEveryReasonInWhichCellsMayDiffer() {
        assertThat(MergedReason.FARTHEST_FIRST)
                .doesNotHaveDuplicates()
                .containsAll(Arrays.stream(Reason.values())
                        .filter(CellReports::mayDifferByCell)
                        .toList());
    }
}
