package dev.claimstream.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests that every measuring program runs and writes its table, and most also a picture. The measured values are not
 * checked.
 */
@Tag("part-2")
@Timeout(300)
class FiguresIT {
    @TempDir
    private Path out = Path.of("");

    @Test
    void measuresThroughputOfSeveralBrokersCellsAndThreads() throws Exception {
        assertThat(ThroughputFigures.run(
                        "--nodes",
                        "20",
                        "--rate",
                        "50",
                        "--seconds",
                        "1",
                        "--warm",
                        "1",
                        "--cells",
                        "2",
                        "--instances",
                        "2",
                        "--threads",
                        "2",
                        "--brokers",
                        "3",
                        "--out",
                        out.toString()))
                .isZero();
        assertTableAndPicture("throughput", 3);
    }

    /** One free device allows one claim at a time, so the requested rate cannot be sustained. */
    @Test
    void exitsWith3WhenRateIsNotSustained() throws Exception {
        assertThat(ThroughputFigures.run(
                        "--nodes",
                        "1",
                        "--full",
                        "88",
                        "--sizes",
                        "1",
                        "--rate",
                        "200",
                        "--seconds",
                        "30",
                        "--warm",
                        "0",
                        "--behind",
                        "1",
                        "--out",
                        out.toString()))
                .isEqualTo(3);
        assertTableAndPicture("throughput", 4);
        assertThat(Files.readString(out.resolve("throughput.txt")))
                .containsPattern(
                        "200/s .*\n.*\n +not sustained: sending stopped after [0-9.]+ s, with [0-9,]+ claims in flight");
    }

    @Test
    void measuresRestart() throws Exception {
        // The JVM does not archive class folders (AOT cache), and the class path of a test contains class folders.
        assertThat(RestartFigures.run("--cold", "--held", "100", "--kills", "0", "--out", out.toString()))
                .isZero();
        assertTableAndPicture("restart", 6);
        assertThat(Files.readString(out.resolve("restart.txt")))
                .containsPattern("the hash in a snapshot: [0-9.]+ ms over all rows, [0-9.]+ ms over what has changed")
                .contains("changed format, rebuilt");
    }

    @Test
    void measuresMemory() throws Exception {
        assertThat(MemoryFigures.run("--devices", "800", "--claims", "100", "--out", out.toString()))
                .isZero();
        assertTableAndPicture("memory", 2);
    }

    @ParameterizedTest(name = "{0} cells")
    @ValueSource(strings = {"1", "2"})
    void measuresPendingClaims(String cells) throws Exception {
        assertThat(WaitingFigures.run(
                        "--cells", cells, "--waiting", "10", "--nodes", "5", "--claims", "8", "--out", out.toString()))
                .isZero();
        assertThat(lines("waiting.txt")).isEqualTo(2);
    }

    @Test
    void measuresSearchBudget() throws Exception {
        assertThat(BudgetFigures.run("--fleets", "5x8", "--claims", "8", "--out", out.toString()))
                .isZero();
        assertThat(lines("budget.txt")).isEqualTo(6);
    }

    /** A small slice; {@code load-tests/integrity} runs a million inputs. The seed is printed. */
    @Test
    void replaysAndFoldsRandomHistoryAndFindsModifications() {
        assertThat(IntegrityTrial.run(
                        "--inputs",
                        "6000",
                        "--rebuilds",
                        "2",
                        "--modifications",
                        "60",
                        "--window",
                        "100",
                        "--questions",
                        "60"))
                .isZero();
    }

    @Test
    void rejectsZeroCells() {
        assertThat(WaitingFigures.run("--cells", "0", "--out", out.toString())).isEqualTo(2);
    }

    private void assertTableAndPicture(String name, int lines) throws Exception {
        assertThat(lines(name + ".txt")).as("lines of the table").isEqualTo(lines);
        var picture = DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(out.resolve(name + ".svg").toFile());
        assertThat(picture.getDocumentElement().getTagName()).isEqualTo("svg");
    }

    private int lines(String file) throws IOException {
        return Files.readAllLines(out.resolve(file)).size();
    }
}
