package dev.claimstream.cli.output;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

/** Tests tables without a terminal, and in wide and narrow terminals. */
class TextTableTest {
    private static final List<String> LONG_WORDS = List.of(
            "16",
            "gpu.nvidia.com",
            "on",
            "one",
            "node,",
            "the",
            "largest",
            "has",
            "8,",
            "and",
            "a",
            "few",
            "words",
            "more",
            "to",
            "fill",
            "it");
    private static final String LONG = String.join(" ", LONG_WORDS);

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
    void movesCellsBelowWithTitleInNarrowTerminal() {
        String text = table().text(OptionalInt.of(80));
        assertThat(text.lines().toList())
                .containsExactly(
                        "CLAIM              STATE      NODE",
                        "research/notebook  allocated  gpu-h100-1",
                        "    BECAUSE: allocated before",
                        "research/too-big   pending    -",
                        "    BECAUSE: 16 gpu.nvidia.com on one node, the largest has 8, and a few words",
                        "        more to fill it");
    }

    @Test
    void keepsShortColumnsInLineAndPacksTheOthers() {
        var table = new TextTable("NAME", "DEVICES", "PODS", "AGE", "REASON");
        table.add("too-big", "-", "too-big-0", "5m", "InsufficientDevicesPerNode");
        table.add("notebook", "gpu.nvidia.com gpu-h100-1/gpu-0", "notebook-0", "5m", "-");
        assertThat(table.text(OptionalInt.of(60)).lines().toList())
                .containsExactly(
                        "NAME      DEVICES                          PODS        AGE",
                        "too-big   -                                too-big-0   5m",
                        "    REASON: InsufficientDevicesPerNode",
                        "notebook  gpu.nvidia.com gpu-h100-1/gpu-0  notebook-0  5m");
        assertThat(table.text(OptionalInt.of(40)).lines().toList())
                .containsExactly(
                        "NAME      PODS        AGE",
                        "too-big   too-big-0   5m",
                        "    REASON: InsufficientDevicesPerNode",
                        "notebook  notebook-0  5m",
                        "    DEVICES: gpu.nvidia.com",
                        "        gpu-h100-1/gpu-0");
    }

    @Test
    void breaksListsAfterCommas() {
        var table = new TextTable("DEVICE", "REMAINING");
        table.add("gpu-0-mig-1g10gb-19-0", "gpu-0-counter-set/copy-engines=7,gpu-0-counter-set/decoders=5,memory=40Gi");
        assertThat(table.text(OptionalInt.of(70)).lines().toList())
                .containsExactly(
                        "DEVICE",
                        "gpu-0-mig-1g10gb-19-0",
                        "    REMAINING: gpu-0-counter-set/copy-engines=7,",
                        "        gpu-0-counter-set/decoders=5,memory=40Gi");
    }

    @Test
    void neitherExceedsTheWidthNorLosesText() {
        String words = table().text(OptionalInt.empty()).replaceAll("\\s+", "");
        for (int width = 30; width < 130; width++) {
            String text = table().text(OptionalInt.of(width));
            int limit = width;
            assertThat(text.lines()).allMatch(line -> line.length() <= limit, "at most %d columns".formatted(width));
            assertThat(text).contains(LONG_WORDS);
            assertThat(words).contains(text.lines().findFirst().orElse("").replaceAll("\\s+", ""));
        }
    }

    @Test
    void showsEverythingInNarrowestTerminal() {
        String text = table().text(OptionalInt.of(1));
        assertThat(text).contains("research/notebook\n", "    STATE: allocated\n", "    NODE: gpu-h100-1\n", "largest");
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
