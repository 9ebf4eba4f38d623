package dev.claimstream.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(180)
class DecisionLinesIT {
    @TempDir
    private Path folder = Path.of("");

    @Test
    void everyDecisionIsOneLineOfJsonWhereThatIsAskedFor() throws IOException, InterruptedException {
        Path cluster = Files.writeString(
                folder.resolve("cluster.yaml"),
                Cluster.ofDevices(1) + Cluster.claim("small", 1) + Cluster.claim("large", 2));
        try (Program up = Program.start(
                folder,
                "up",
                "--data",
                folder.resolve("data").toString(),
                "-f",
                cluster.toString(),
                "--log-decisions",
                "json")) {
            up.awaitOut("Ctrl-C ends it");
            Program.await(() -> up.err().lines().count() >= 2, "two decisions");
            List<String> lines = up.err().lines().toList();
            assertThat(lines)
                    .allMatch(line -> line.startsWith("{") && line.endsWith("}"))
                    .anySatisfy(line ->
                            assertThat(line).contains("{\"claim\":\"default\\/small\"}", "{\"verdict\":\"granted\"}"))
                    .anySatisfy(line ->
                            assertThat(line).contains("{\"claim\":\"default\\/large\"}", "{\"verdict\":\"waits\"}"));
        }
    }

    @Test
    void anotherFormIsRefused() {
        Ran ran = Ran.of("up", "--log-decisions", "xml", "--data", folder.toString());
        assertThat(ran.exitCode()).isEqualTo(1);
        assertThat(ran.err()).contains("--log-decisions xml: use text or json");
    }
}
