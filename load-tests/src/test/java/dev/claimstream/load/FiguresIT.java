package dev.claimstream.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Every program that measures still runs and leaves a table, and most leave a picture. What it measures here means nothing. */
@Timeout(300)
class FiguresIT {
    @TempDir
    private Path out = Path.of("");

    @Test
    void throughputWithSeveralBrokersCellsInstancesAndThreads() throws Exception {
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
        assertLeft("throughput", 3);
    }

    @Test
    void restart() throws Exception {
        // A JVM makes no start-up cache of folders of classes, and there are some on the class path of a test.
        assertThat(RestartFigures.run("--cold", "--held", "100", "--kills", "0", "--out", out.toString()))
                .isZero();
        assertLeft("restart", 3);
    }

    @Test
    void memory() throws Exception {
        assertThat(MemoryFigures.run("--devices", "800", "--claims", "100", "--out", out.toString()))
                .isZero();
        assertLeft("memory", 2);
    }

    @Test
    void waiting() throws Exception {
        assertThat(WaitingFigures.run("--waiting", "10", "--nodes", "5", "--claims", "8", "--out", out.toString()))
                .isZero();
        assertThat(lines("waiting.txt")).isEqualTo(2);
    }

    private void assertLeft(String name, int lines) throws Exception {
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
