package dev.claimstream.systemtests.up;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.cli.folder.DataFolder;
import dev.claimstream.cli.folder.Endpoint;
import dev.claimstream.systemtests.process.CommandResult;
import dev.claimstream.systemtests.process.Program;
import dev.claimstream.systemtests.workload.ClusterManifests;
import dev.claimstream.systemtests.workload.DecisionLog;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests {@code up --log-decisions}. */
@Timeout(180)
class DecisionLogOptionIT {
    /** Keys of a line, as documented in {@code platform/observability/README.md}. */
    private static final List<String> KEYS = List.of(
            "time",
            "level",
            "logger",
            "message",
            "claim",
            "uid",
            "cell",
            "number",
            "result",
            "node",
            "devices",
            "reason",
            "latencyMicros");

    private static final Pattern KEY = Pattern.compile("[{,]\"(\\w+)\":");
    private static final Pattern WHICH = Pattern.compile("\"(?:uid|number)\":\"?([^\",]*)");
    private static final Pattern TIME = Pattern.compile("\"time\":\"([^\"]*Z)\"");

    @TempDir
    private Path folder = Path.of("");

    private String data() {
        return folder.resolve("data").toString();
    }

    private static List<String> findGroups(Pattern pattern, String line) {
        return pattern.matcher(line).results().map(each -> each.group(1)).toList();
    }

    @Test
    @Tag("part-0")
    void logsEveryDecisionAsOneJsonLine() throws IOException, InterruptedException {
        Path cluster = Files.writeString(
                folder.resolve("cluster.yaml"),
                ClusterManifests.ofDevices(1)
                        + ClusterManifests.usedClaim("small", 1)
                        + ClusterManifests.usedClaim("large", 2));
        Instant started = Instant.now().truncatedTo(ChronoUnit.MILLIS);
        try (Program up =
                Program.start(folder, "up", "--data", data(), "-f", cluster.toString(), "--log-decisions", "json")) {
            up.awaitOut("Ctrl-C ends it");
            Program.await(() -> up.err().lines().count() >= 2, "two decisions");
            assertThat(CommandResult.run("delete", "pod", "small", "--data", data())
                            .exitCode())
                    .isZero();
            Program.await(() -> up.err().contains("\"result\":\"released\""), "a claim that is released");
            Endpoint at = DataFolder.publishedEndpoint(Path.of(data())).orElseThrow();
            // a line is logged shortly before its decision can be read; pending claims are decided again meanwhile
            List<String> first = up.err().lines().toList();
            Program.await(() -> loggedDecisions(at).size() >= first.size(), "the decisions of these lines");
            List<String> decisions = loggedDecisions(at);
            List<String> lines = up.err().lines().limit(decisions.size()).toList();
            assertThat(lines)
                    .allMatch(line -> line.startsWith("{") && line.endsWith("}"))
                    .allSatisfy(line -> assertThat(findGroups(KEY, line)).containsExactlyElementsOf(KEYS))
                    .anySatisfy(line ->
                            assertThat(line).contains("\"claim\":\"default/small\"", "\"result\":\"allocated\""))
                    .anySatisfy(
                            line -> assertThat(line).contains("\"claim\":\"default/large\"", "\"result\":\"pending\""))
                    .allSatisfy(line -> assertThat(
                                    Instant.parse(findGroups(TIME, line).getFirst()))
                            .as("UTC")
                            .isBetween(started, Instant.now()));
            assertThat(lines.stream().map(line -> String.join(" ", findGroups(WHICH, line))))
                    .as("a line for each decision of decisions.v1")
                    .containsExactlyElementsOf(decisions);
        }
    }

    private static List<String> loggedDecisions(Endpoint at) {
        return DecisionLog.decisions(at.bootstrap(), at.registry()).stream()
                .map(each -> "%s %d".formatted(each.getClaimUid(), each.getNumber()))
                .toList();
    }

    @Test
    void rejectsUnknownLogFormat() {
        CommandResult result = CommandResult.run("up", "--log-decisions", "xml", "--data", folder.toString());
        assertThat(result.exitCode()).isEqualTo(1);
        assertThat(result.err()).contains("--log-decisions xml: use text or json");
    }
}
