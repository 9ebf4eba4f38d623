package dev.claimstream.systemtests.up;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.cli.folder.DataFolder;
import dev.claimstream.cli.folder.Endpoint;
import dev.claimstream.systemtests.process.CommandResult;
import dev.claimstream.systemtests.process.FreePorts;
import dev.claimstream.systemtests.process.Program;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests the history service beside {@code up}, across its own kill, and compares it with the log that a command folds itself. */
@Timeout(300)
@Tag("part-2")
class HistoryIT {
    private static final String READY = "Ctrl-C ends it";
    private static final String MAIN = "dev.claimstream.cli.Main";
    private static final String ROWS =
            "SELECT namespace, claim, device, pods, allocated, committed, released, cause FROM intervals ORDER BY ALL";

    @TempDir
    private Path folder = Path.of("");

    private String data() {
        return folder.resolve("data").toString();
    }

    private static CommandResult run(int exitCode, String... args) {
        CommandResult result = CommandResult.run(args);
        assertThat(result.exitCode()).as(result.out() + result.err()).isEqualTo(exitCode);
        return result;
    }

    private Program history(Endpoint up, int port) throws IOException {
        return Program.start(
                folder,
                Map.of(
                        "CLAIMSTREAM_KAFKA_BOOTSTRAP", up.bootstrap(),
                        "CLAIMSTREAM_REGISTRY_URL", up.registry().toString(),
                        "CLAIMSTREAM_HISTORY_FOLDER", folder.resolve("history").toString(),
                        "CLAIMSTREAM_HISTORY_PORT", Integer.toString(port)),
                MAIN,
                "service",
                "history");
    }

    @Test
    void serviceAgreesWithLogAcrossKill() throws IOException, InterruptedException {
        int port = FreePorts.of(1).getFirst();
        String service = "http://127.0.0.1:" + port;
        try (Program up = Program.start(
                folder,
                "up",
                "--data",
                data(),
                "-f",
                CommandResult.example("template-per-pod"),
                "--with",
                "history,simulator")) {
            up.awaitOut(READY);
            Endpoint endpoint = DataFolder.publishedEndpoint(Path.of(data())).orElseThrow();
            Program.await(() -> folded().contains("\"committed\" : \"20"), "a committed claim");
            assertConsoleAnswers(endpoint.console().toString());
            assertReadsLogged();
            try (Program history = history(endpoint, port)) {
                Program.await(() -> stored(service).equals(folded()), "the intervals of the log");
                history.kill();
            }
            run(0, "delete", "pod", "trainer-0", "--data", data());
            Program.await(() -> folded().contains("\"released\" : \"20"), "a released device");
            try (Program history = history(endpoint, port)) {
                Program.await(() -> stored(service).equals(folded()), "the intervals after the kill");
                assertAnswers(service);
                run(1, "who", "gpu-99", "--history", service);
                history.kill();
            }
            assertThat(run(1, "who", "gpu-0", "--history", service).err()).contains("does not respond");
            String archive = folder.resolve("archive").toString();
            run(0, "audit", "archive", "--to", archive, "--data", data());
            assertThat(run(0, "audit", "sql", ROWS, "-o", "json", "--archive", archive)
                            .out())
                    .isEqualTo(folded());
        }
    }

    private String folded() {
        return run(0, "audit", "sql", ROWS, "-o", "json", "--data", data()).out();
    }

    private static String stored(String service) {
        CommandResult result = CommandResult.run("audit", "sql", ROWS, "-o", "json", "--history", service);
        return result.exitCode() == 0 ? result.out() : "";
    }

    /** The console asks its history and its simulator. */
    private static void assertConsoleAnswers(String console) throws InterruptedException {
        Program.await(
                () -> CommandResult.run("who", "node-1/gpu-0", "--console", console)
                        .out()
                        .contains("trainer-"),
                "the history of the console");
        assertThat(run(0, "history", "device", "node-1/gpu-0", "--console", console)
                        .out())
                .contains("trainer-");
        assertThat(run(0, "usage", "--by", "node", "-o", "csv", "--console", console)
                        .out())
                .startsWith("NODE,CLAIMS,DEVICE HOURS");
        assertThat(run(0, "blast-radius", "node-1", "--console", console).out()).contains("trainer-");
        assertThat(run(1, "who", "gpu-99", "--console", console).err()).contains("gpu-99");
        assertThat(run(1, "audit", "sql", ROWS, "--console", console).err())
                .contains("does not forward SQL queries: name the history service with --history");
        String[] devices = {"explain", "pod", "trainer-0", "-n", "default", "--devices", "--console", console};
        Program.await(() -> CommandResult.run(devices).exitCode() == 0, "the simulator of the console");
        assertThat(run(0, devices).out()).startsWith("pod default/trainer-0: allocated\n");
        assertThat(run(1, "explain", "pod", "default/absent", "--devices", "--console", console)
                        .err())
                .contains("there is no pod default/absent");
        assertThat(run(0, "simulate", "--add-nodes", "node-1=2", "--console", console)
                        .out())
                .contains("nothing was changed");
        assertThat(run(1, "simulate", "--drain", "node-9", "--console", console).err())
                .contains("there is no node node-9");
    }

    /** Each question to the history and the simulator of {@code up} is one line of its data folder. */
    private void assertReadsLogged() throws IOException {
        assertThat(Files.readAllLines(Path.of(data(), "reads.log")))
                .allMatch(
                        line -> line.matches("\\{\"time\":.*\"caller\":\"127\\.0\\.0\\.1\".*}"), "a line of a question")
                .anyMatch(line -> line.contains("\"message\":\"history was read\"") && line.contains("gpu-0"))
                .anyMatch(line -> line.contains("\"kind\":\"simulate\""));
    }

    private void assertAnswers(String service) {
        String pod = run(0, "history", "pod", "trainer-0", "-o", "csv", "--history", service)
                .out();
        assertThat(pod).containsAnyOf("claim-deleted", "cleared");
        String[] row = pod.lines()
                .filter(line -> line.contains(",allocated,"))
                .findFirst()
                .orElseThrow()
                .split(",", -1);
        String device = row[5];
        assertThat(run(0, "who", device, "--at", row[0], "--history", service).out())
                .contains("trainer-0");
        CommandResult after = run(0, "who", device, "--at", row[1], "--history", service);
        assertThat(after.out()).doesNotContain("trainer-0");
        assertThat(run(0, "usage", "--by", "node", "-o", "csv", "--history", service)
                        .out())
                .startsWith("NODE,CLAIMS,DEVICE HOURS");
        assertThat(run(0, "blast-radius", device, "--since", row[0], "--history", service)
                        .out())
                .contains("trainer-0");
        Path file = folder.resolve("history.parquet");
        run(0, "audit", "export", "--out", file.toString(), "--history", service);
        assertThat(file).isNotEmptyFile();
        assertThat(run(1, "audit", "sql", "DROP VIEW intervals", "--history", service)
                        .err())
                .contains("the query is not a SELECT statement");
        assertThat(run(1, "who", device, "--at", "2020-01-01T00:00:00Z", "--history", service)
                        .err())
                .contains("is before the log, which begins at ");
    }
}
