package dev.claimstream.systemtests.up;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.cli.folder.DataFolder;
import dev.claimstream.cli.folder.Endpoint;
import dev.claimstream.systemtests.process.CommandResult;
import dev.claimstream.systemtests.process.FreePorts;
import dev.claimstream.systemtests.process.Program;
import dev.claimstream.systemtests.process.SigningKeyFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests {@code audit} and {@code replay} on a running {@code up} that archives, is killed, and starts again. */
@Timeout(180)
@Tag("part-0")
class AuditIT {
    private static final String READY = "Ctrl-C ends it";
    private static final String POD = "default/trainer-2";
    private static final String MAIN = "dev.claimstream.cli.Main";

    @TempDir
    private Path folder = Path.of("");

    private String data() {
        return folder.resolve("data").toString();
    }

    private Path archive() {
        return folder.resolve("archive");
    }

    private Program up(String... more) throws IOException {
        List<String> args = Stream.concat(
                        Stream.of("up", "--data", data(), "--archive", archive().toString()), Stream.of(more))
                .toList();
        return Program.start(
                folder,
                Map.of(
                        "CLAIMSTREAM_ARCHIVE_EVERY",
                        "1s",
                        "CLAIMSTREAM_ALLOCATOR_SNAPSHOT_EVERY",
                        "10",
                        "CLAIMSTREAM_SHADOW_ENABLED",
                        "true",
                        "CLAIMSTREAM_SHADOW_POLICY",
                        "first-fit"),
                MAIN,
                args.toArray(String[]::new));
    }

    private static CommandResult run(int exitCode, String... args) {
        CommandResult result = CommandResult.run(args);
        assertThat(result.exitCode()).as(result.out() + result.err()).isEqualTo(exitCode);
        return result;
    }

    @Test
    void verifiesArchivesAndReplaysAcrossKill() throws IOException, InterruptedException {
        try (Program up = up("-f", CommandResult.example("template-per-pod"))) {
            up.awaitOut(READY);
            Program.await(
                    () -> run(0, "audit", "verify", "--data", data()).out().contains("no finding"), "a ledger");
            Program.await(() -> hasSegment("ledger.v1-0"), "an archived ledger");
            run(0, "delete", "pod", "trainer-0", "--data", data());
            up.kill();
        }
        Program.await(
                () -> run(1, "audit", "verify", "--data", data()).err().contains("no 'claimstream up' runs on"),
                "the end of the killed process");
        assertThat(run(0, "audit", "verify", "--archive", archive().toString()).out())
                .contains("1 ledger verified, no finding", "from the first event");
        try (Program up = up()) {
            up.awaitOut(READY);
            run(0, "delete", "pod", "trainer-1", "--data", data());
            String topics = run(0, "replay", "--data", data()).out();
            assertThat(topics).contains("no divergence").doesNotContain("not in bytes");
            Program.await(
                    () -> headOf(run(
                                    0, "audit", "verify", "--archive", archive().toString()))
                            .equals(headOf(run(0, "audit", "verify", "--data", data()))),
                    "the end of the ledger in the archive");
            assertThat(run(0, "audit", "verify", "--archive", archive().toString(), "--data", data())
                            .out())
                    .contains("no finding");
            assertThat(run(0, "status", "--data", data()).out()).contains("archived to");
            Program.await(
                    () -> run(0, "status", "--data", data()).out().contains(" inputs decided alike"), "the shadow");
            Program.await(
                    () -> run(0, "status", "--data", data()).out().contains("first-fit places 0 of "),
                    "the candidate of the shadow");
            assertThat(run(1, "audit", "archive", "--to", data() + "/endpoint.json", "--data", data())
                            .err())
                    .contains("it is a file, and not a folder");
            assertCheckpointsAndProofs();
            assertStateOfLog("--data", data());
            assertSimulatorAnswersLikeCommand();
            assertThat(run(0, "queue", "--data", data()).out()).isEqualTo("nothing is pending\n");
            Path other = folder.resolve("other");
            assertThat(run(0, "audit", "archive", "--to", other.toString(), "--data", data())
                            .out())
                    .contains("new segments");
            assertThat(run(0, "replay", "--archive", other.toString()).out()).contains("no divergence");
            assertImportNeedsEmptyTopics(other.toString());
        }
        String replayed = run(0, "replay", "--archive", archive().toString()).out();
        assertThat(replayed).contains("no divergence");
        assertThat(headOf(replayed)).isNotEmpty();
        assertStatesAndComparisons();
        assertStateOfLog("--archive", archive().toString());
        damageSegment();
        assertThat(run(3, "audit", "verify", "--archive", archive().toString()).out())
                .contains("damaged: ", "Restore the file from a copy");
        assertThat(run(1, "replay", "--archive", archive().toString()).err()).contains("damaged: ");
    }

    private void assertImportNeedsEmptyTopics(String archive) {
        Endpoint up = DataFolder.publishedEndpoint(Path.of(data())).orElseThrow();
        String[] command = {
            "audit",
            "import",
            "--archive",
            archive,
            "--bootstrap",
            up.bootstrap(),
            "--registry",
            up.registry().toString()
        };
        assertThat(run(1, command).err())
                .contains("topic cells.in of %s is not empty: partition 0 ends at offset".formatted(up.bootstrap()));
    }

    private void assertStatesAndComparisons() {
        String archive = archive().toString();
        assertThat(run(0, "audit", "verify", "--replay", "--archive", archive).out())
                .contains("no finding", "replay of cell 0: from input 0");
        assertThat(run(0, "replay", "--archive", archive, "--from", "2100-01-01T00:00:00Z")
                        .out())
                .contains("no divergence")
                .doesNotContain("from input 0,");
        assertThat(run(0, "replay", "--compare", "--archive", archive, "-o", "json")
                        .out())
                .contains("\"differing\": []", "\"otherNode\": 0")
                .containsPattern("\"same\": [1-9]");
        assertThat(run(0, "replay", "--policy", "first-fit", "--archive", archive)
                        .out())
                .contains("other node", "FRAGMENTED: RECORD");
        assertThat(run(1, "replay", "--policy", "worst-fit", "--archive", archive)
                        .err())
                .contains("--policy worst-fit is not known: use best-fit or first-fit");
        assertThat(run(0, "audit", "hold", "--archive", archive, "--reason", "case 17")
                        .out())
                .contains("legal hold: case 17");
        assertThat(run(0, "audit", "hold", "--archive", archive, "--release").out())
                .contains("released");
    }

    private void assertCheckpointsAndProofs() throws IOException {
        var keys = SigningKeyFiles.create(folder, "key");
        String checkpoint = folder.resolve("checkpoint.json").toString();
        String proof = folder.resolve("proof.json").toString();
        assertThat(run(0, "audit", "checkpoint", "--key", keys.privateKey(), "--out", checkpoint, "--data", data())
                        .out())
                .contains("root ");
        assertThat(run(0, "audit", "verify", "--checkpoint", checkpoint, "--key", keys.publicKey(), "--data", data())
                        .out())
                .contains("no finding");
        run(0, "audit", "prove", "0/0", "--checkpoint", checkpoint, "--out", proof, "--data", data());
        assertThat(run(0, "audit", "check-proof", proof, "--key", keys.publicKey())
                        .out())
                .startsWith("valid: cell 0");
        String other = SigningKeyFiles.create(folder, "other").publicKey();
        assertThat(run(1, "audit", "check-proof", proof, "--key", other).err()).contains("not signed by this key");
    }

    /** The state that is replayed from the log: now, before the log begins, and with a change. */
    private static void assertStateOfLog(String option, String log) {
        assertThat(run(0, "explain", "pod", POD, "--devices", option, log).out())
                .startsWith("pod %s: allocated\n".formatted(POD))
                .contains("as of ", "(UTC)");
        assertThat(run(1, "explain", "pod", POD, "--at", "2020-01-01T00:00:00Z", option, log)
                        .err())
                .contains("has no input at or before 2020-01-01T00:00:00Z (UTC); it begins at ");
        assertThat(run(0, "simulate", "--add-nodes", "node-1=2", option, log).out())
                .contains("nothing was changed", "pending items");
    }

    /** A simulator as a process of its own, which follows the topics of the running up. */
    private void assertSimulatorAnswersLikeCommand() throws IOException, InterruptedException {
        Endpoint at = DataFolder.publishedEndpoint(Path.of(data())).orElseThrow();
        int port = FreePorts.of(1).getFirst();
        Map<String, String> connections = Map.of(
                "CLAIMSTREAM_KAFKA_BOOTSTRAP",
                at.bootstrap(),
                "CLAIMSTREAM_REGISTRY_URL",
                at.registry().toString(),
                "CLAIMSTREAM_SIMULATOR_PORT",
                Integer.toString(port));
        String[] question = {"simulate", "--add-nodes", "node-1=2", "--simulator", "http://127.0.0.1:" + port};
        try (var _ = Program.start(folder, connections, MAIN, "service", "simulator")) {
            Program.await(() -> CommandResult.run(question).exitCode() == 0, "the simulator");
            assertThat(run(0, question).out()).contains("nothing was changed", "pending items");
            assertThat(run(1, "simulate", "--drain", "node-9", "--simulator", "http://127.0.0.1:" + port)
                            .err())
                    .contains("there is no node node-9");
        }
    }

    private boolean hasSegment(String partition) {
        Path segments = archive().resolve(partition);
        if (!Files.isDirectory(segments)) {
            return false;
        }
        try (Stream<Path> files = Files.list(segments)) {
            return files.anyMatch(each -> each.toString().endsWith(".json"));
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    private static String headOf(CommandResult result) {
        return headOf(result.out());
    }

    private static String headOf(String out) {
        return out.replaceAll("(?s).*chain head ([0-9a-f]{64}).*", "$1");
    }

    private void damageSegment() throws IOException {
        try (Stream<Path> files = Files.list(archive().resolve("ledger.v1-0"))) {
            Path segment = files.filter(each -> each.toString().endsWith(".avro"))
                    .sorted()
                    .findFirst()
                    .orElseThrow();
            byte[] bytes = Files.readAllBytes(segment);
            bytes[bytes.length / 2] ^= 1;
            Files.write(segment, bytes);
        }
    }
}
