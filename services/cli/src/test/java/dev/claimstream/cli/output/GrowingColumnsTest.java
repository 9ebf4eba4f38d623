package dev.claimstream.cli.output;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

/** Tests lines that are printed one by one. */
class GrowingColumnsTest {
    @Test
    void alignsWithWidestCellSoFar() {
        var columns = new GrowingColumns(List.of("", ""), OptionalInt.empty());
        assertThat(columns.row(List.of("a", "x"))).isEqualTo("a  x");
        assertThat(columns.row(List.of("claim-1", "x"))).isEqualTo("claim-1  x");
        assertThat(columns.row(List.of("a", "x"))).isEqualTo("a        x");
    }

    @Test
    void movesUntitledCellBelowInNarrowTerminal() {
        var columns = new GrowingColumns(List.of("", "", ""), OptionalInt.of(30));
        assertThat(columns.row(List.of("training/finetune-0", "allocated", "gpu-0, gpu-1 (committed)")))
                .isEqualTo("training/finetune-0  allocated\n    gpu-0, gpu-1 (committed)");
    }

    @Test
    void printsTitlesOfColumnsInLine() {
        var columns = new GrowingColumns(List.of("NAME", "DEVICES", "AGE"), OptionalInt.of(20));
        columns.grow(List.of("claim-1", "gpu-0, gpu-1, gpu-2", "5m"));
        assertThat(columns.titleLine()).isEqualTo("NAME     AGE");
    }
}
