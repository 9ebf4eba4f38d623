package dev.claimstream.cli.output;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

/** Tests tables without a terminal, and in wide and narrow terminals. */
class TextTableTest {
    private static final String LONG =
            "16 gpu.nvidia.com on one node, the largest has 8, and a few words more to fill it";

    private static TextTable table() {
        var table = new TextTable("CLAIM", "STATE", "NODE", "BECAUSE");
        table.add("research/notebook", "allocated", "gpu-h100-1", "allocated before");
        table.add("research/too-big", "pending", "-", LONG);
        return table;
    }

    @Test
    void printsOneLinePerRowWithoutTerminal() {
        assertThat(table().text(OptionalInt.empty())).isEqualTo("""
                        CLAIM              STATE      NODE        BECAUSE
                        research/notebook  allocated  gpu-h100-1  allocated before
                        research/too-big   pending    -           %s
                        """.formatted(LONG));
    }

    @Test
    void printsOneLinePerRowInWideTerminal() {
        assertThat(table().text(OptionalInt.of(200))).isEqualTo(table().text(OptionalInt.empty()));
    }

    @Test
    void movesLastColumnsBelowInNarrowTerminal() {
        String text = table().text(OptionalInt.of(80));
        assertThat(text.lines().toList())
                .containsExactly(
                        "CLAIM              STATE      NODE",
                        "research/notebook  allocated  gpu-h100-1",
                        "    allocated before",
                        "research/too-big   pending    -",
                        "    " + LONG);
    }

    @Test
    void showsEverythingInNarrowestTerminal() {
        String text = table().text(OptionalInt.of(1));
        assertThat(text).contains("research/notebook\n", "    allocated\n", "    gpu-h100-1\n", LONG);
    }

    @Test
    void printsNoTrailingBlanks() {
        for (OptionalInt width : new OptionalInt[] {OptionalInt.empty(), OptionalInt.of(80), OptionalInt.of(40)}) {
            assertThat(table().text(width).lines()).noneMatch(line -> line.endsWith(" "));
        }
    }

    @Test
    void keepsLineThatFitsExactly() {
        int exact = table().text(OptionalInt.empty())
                .lines()
                .mapToInt(String::length)
                .max()
                .orElseThrow();
        assertThat(table().text(OptionalInt.of(exact))).isEqualTo(table().text(OptionalInt.empty()));
        assertThat(table().text(OptionalInt.of(exact - 1))).isNotEqualTo(table().text(OptionalInt.empty()));
    }

    @Test
    void printsTitlesWithoutRows() {
        assertThat(new TextTable("CLAIM", "STATE").text(OptionalInt.of(80))).isEqualTo("CLAIM  STATE\n");
    }

    @Test
    void rejectsRowWithWrongCellCount() {
        assertThatThrownBy(() -> new TextTable("CLAIM", "STATE").add("one"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("1 cells for 2 columns");
    }
}
