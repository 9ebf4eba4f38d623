package dev.claimstream.systemtests.failures;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.cli.folder.DataFolder;
import dev.claimstream.cli.folder.Endpoint;
import dev.claimstream.systemtests.process.CommandResult;
import dev.claimstream.systemtests.process.Program;
import dev.claimstream.systemtests.workload.Changelogs;
import dev.claimstream.systemtests.workload.ClusterManifests;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests {@code claimstream up} with oversized objects, lost state and a full disk. */
@Timeout(180)
final class UpFaultsIT {
    private static final String READY = "Ctrl-C ends it";
    private static final String AGAIN = "claimstream is up again\n";

    /** Clients of a stopped broker block for up to a minute. */
    private static final Duration LONG_PATIENCE = Duration.ofMinutes(3);

    @TempDir
    private Path folder = Path.of("");

    private Path data = Path.of("");

    @BeforeEach
    void chooseData() {
        data = folder.resolve("data");
    }

    private CommandResult run(String... command) {
        List<String> all = new ArrayList<>(List.of(command));
        all.addAll(List.of("--data", data.toString()));
        return CommandResult.run(all.toArray(String[]::new));
    }

    private CommandResult apply(String name, String text) throws IOException {
        Path file = Files.writeString(folder.resolve(name + ".yaml"), text);
        return run("apply", "-f", file.toString());
    }

    private static String largeNode(String name, int bytes) {
        return """
                ---
                apiVersion: v1
                kind: Node
                metadata: {name: %s, annotations: {note: "%s"}}
                """.formatted(name, "x".repeat(bytes));
    }

    private void await(String what, String... command) throws InterruptedException {
        Program.await(() -> run(command).out().replaceAll(" +", " ").contains(what), "'%s'".formatted(what));
    }

    private Program up(String... options) throws IOException {
        List<String> all = new ArrayList<>(List.of("up", "--data", data.toString()));
        all.addAll(List.of(options));
        return Program.start(folder, all.toArray(String[]::new));
    }

    @Test
    @Tag("part-3")
    void rejectsOversizedObjectAndServesOthers() throws IOException, InterruptedException {
        try (Program up = up()) {
            up.awaitOut(READY);
            for (int megabytes : List.of(2, 5)) {
                CommandResult refused = apply(
                        "large", largeNode("large", megabytes << 20) + "---\n" + ClusterManifests.ofDevices(megabytes));
                assertThat(refused.exitCode()).isEqualTo(1);
                assertThat(refused.errLines())
                        .singleElement()
                        .asString()
                        .contains("large.yaml:", "more than")
                        .matches(".*(bytes|characters).*");
                assertThat(refused.out()).contains("node/node-1 ").doesNotContain("node/large");
            }
            assertThat(apply("twice", """
                            apiVersion: v1
                            kind: Node
                            metadata: {name: one, uid: same}
                            ---
                            apiVersion: v1
                            kind: Node
                            metadata: {name: two, uid: same}
                            """).err()).contains("already has this uid");
            assertThat(apply("claim", ClusterManifests.usedClaim("a", 3)).exitCode())
                    .isZero();
            await("a allocated,reserved node-1", "get", "claims");
            CommandResult status = run("status");
            assertThat(status.exitCode()).isZero();
            assertThat(status.out().replaceAll(" +", " "))
                    .contains("claimstream is up ", "writer up ", "cluster up accepts changes")
                    .containsPattern("watcher up watching 9 kinds, \\d+ changes not published")
                    .contains("liveness up nodes with live agents: 0");
            up.interrupt();
            assertThat(up.awaitEnd()).isZero();
            assertThat(up.err()).isEmpty();
        }
    }

    @ParameterizedTest(name = "{0} cells")
    @ValueSource(ints = {1, 2})
    @Tag("part-1")
    void rebuildsLostStateOnRequest(int cells) throws IOException, InterruptedException, ExecutionException {
        try (Program up = up("--cells", Integer.toString(cells), "--threads", "2")) {
            up.awaitOut(READY);
            apply("cluster", ClusterManifests.ofDevices(2) + ClusterManifests.usedClaim("a", 1));
            await("a allocated,reserved node-1", "get", "claims");
            apply("more", ClusterManifests.usedClaim("b", 2));
            await("b pending", "get", "claims");
            assertThat(run("status").out()).contains(cells == 1 ? "1 cell active" : "2 cells active in 2 threads");
            up.interrupt();
            assertThat(up.awaitEnd()).isZero();
        }
        Changelogs.delete(data, cells);
        try (Program up = up()) {
            assertThat(up.awaitEnd()).isEqualTo(1);
            assertThat(up.out()).isEmpty();
            assertThat(up.err().lines())
                    .singleElement()
                    .asString()
                    .startsWith("claimstream: ")
                    .endsWith("start it once with --rebuild");
        }
        try (Program up = up("--rebuild")) {
            up.awaitOut(READY);
            await("a allocated,reserved node-1", "get", "claims");
            await("b pending", "get", "claims");
            up.interrupt();
            assertThat(up.awaitEnd()).isZero();
        }
    }

    /** The log exceeds the file size limit of the process. */
    @Test
    @Tag("part-2")
    void reportsUnwritableFolderAndKeepsAnsweredData() throws IOException, InterruptedException {
        String script = "(ulimit -f 14336; \"$@\"); echo \"ended with $?\" >&2; exec \"$@\"";
        try (Program up = Program.startScript(folder, List.of(), script, "up", "--data", data.toString())) {
            up.awaitOut(READY);
            apply("cluster", ClusterManifests.ofDevices(2) + ClusterManifests.usedClaim("a", 1));
            await("a allocated,reserved node-1", "get", "claims");
            List<String> kept = applyUntilRejected();
            Program.await(() -> up.err().contains("ended with 1\n"), "end with 1");
            assertThat(up.err()).contains(data.toString()).contains("start again");
            Program.await(() -> up.out().split(READY, -1).length == 3 || !up.isAlive(), "second start");
            assertThat(run("get", "nodes", "-o", "name").out().lines()).containsAll(kept);
            await("a allocated,reserved node-1", "get", "claims");
        }
    }

    /** Creates nodes until one is rejected, and returns the names of the others. */
    private List<String> applyUntilRejected() throws IOException {
        List<String> kept = new ArrayList<>();
        for (int i = 0; apply("large", largeNode("large-" + i, 500_000)).exitCode() == 0; i++) {
            kept.add("node/large-" + i);
        }
        assertThat(kept).isNotEmpty();
        return kept;
    }

    @Test
    @Timeout(600)
    @Tag("part-4")
    void waitsForFreeDiskSpaceAndResumes() throws IOException, InterruptedException {
        Path mounted = Files.createDirectory(folder.resolve("disk"));
        data = mounted.resolve("data");
        try (Program up = Program.startScript(
                folder,
                mountingShell(),
                "mount -t tmpfs -o size=200m none %s && exec \"$@\"".formatted(mounted),
                "up",
                "--data",
                data.toString())) {
            up.awaitOut(READY);
            Path ballast = up.hostPath(mounted.resolve("ballast"));
            data = up.hostPath(data);
            Optional<Endpoint> before = DataFolder.publishedEndpoint(data);
            apply("cluster", ClusterManifests.ofDevices(2) + ClusterManifests.usedClaim("a", 1));
            await("a allocated,reserved node-1", "get", "claims");

            fill(ballast, 10 << 20);
            List<String> kept = applyUntilRejected();
            Program.await(() -> up.err().contains("continues by itself once"), "word of the disk");
            assertThat(up.err()).contains("claimstream: the disk of " + mounted.resolve("data") + " ");
            assertThat(run("status").exitCode()).isEqualTo(1);
            Program.await(
                    () -> run("get", "claims").err().contains("waiting for free disk space: "),
                    "refusal",
                    LONG_PATIENCE);
            assertThat(run("status").out()).contains("waiting for free disk space: ", "; claimstream continues");
            assertThat(run("up").err()).contains("claimstream already runs on");
            assertThat(up.isAlive()).isTrue();

            Files.delete(ballast);
            up.awaitOut(AGAIN, LONG_PATIENCE);
            assertThat(DataFolder.publishedEndpoint(data)).isEqualTo(before);
            assertThat(run("get", "nodes", "-o", "name").out().lines()).containsAll(kept);
            assertThat(apply("more", ClusterManifests.usedClaim("b", 1)).exitCode())
                    .isZero();
            await("a allocated,reserved node-1", "get", "claims");
            await("b allocated,reserved node-1", "get", "claims");
            assertThat(run("status").exitCode()).isZero();

            fill(ballast, 0);
            Program.await(() -> up.err().split("continues by itself once", -1).length == 3, "word of it again");
            up.interrupt();
            assertThat(up.awaitEnd()).isZero();
            assertThat(up.out()).containsOnlyOnce(READY).containsOnlyOnce(AGAIN);
        }
    }

    /** Returns a shell command that may mount. */
    private static List<String> mountingShell() throws IOException, InterruptedException {
        for (String options : List.of("-m", "-rm")) {
            List<String> shell = List.of("unshare", options);
            List<String> probe = new ArrayList<>(shell);
            probe.addAll(List.of("mount", "-t", "tmpfs", "-o", "size=1m", "none", "/tmp"));
            if (new ProcessBuilder(probe).start().waitFor() == 0) {
                return shell;
            }
        }
        return Assumptions.abort("NOT TRIED: what 'up' does on a full disk: this user cannot mount a small one");
    }

    /** Writes until at most this much space is free. */
    private static void fill(Path file, long left) throws IOException {
        var block = ByteBuffer.allocate(1 << 16);
        try (var channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.APPEND)) {
            while (file.toFile().getUsableSpace() > left) {
                channel.write(block.clear());
            }
        } catch (FileSystemException e) {
            throw e;
        } catch (IOException e) {
            assertThat(e).hasMessage("No space left on device"); // another process used the last of the space
        }
    }
}
