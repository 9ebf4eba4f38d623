package dev.claimstream.cli;

import static org.assertj.core.api.Assertions.assertThat;

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
    private static final Duration A_WHILE = Duration.ofMinutes(3);

    @TempDir
    private Path folder = Path.of("");

    private Path data = Path.of("");

    @BeforeEach
    void chooseData() {
        data = folder.resolve("data");
    }

    private Ran on(String... command) {
        List<String> all = new ArrayList<>(List.of(command));
        all.addAll(List.of("--data", data.toString()));
        return Ran.of(all.toArray(String[]::new));
    }

    private Ran apply(String name, String text) throws IOException {
        Path file = Files.writeString(folder.resolve(name + ".yaml"), text);
        return on("apply", "-f", file.toString());
    }

    private static String large(String name, int bytes) {
        return """
                ---
                apiVersion: v1
                kind: Node
                metadata: {name: %s, annotations: {note: "%s"}}
                """.formatted(name, "x".repeat(bytes));
    }

    private void await(String what, String... command) throws InterruptedException {
        Program.await(() -> on(command).out().replaceAll(" +", " ").contains(what), "'%s'".formatted(what));
    }

    private Program up(String... options) throws IOException {
        List<String> all = new ArrayList<>(List.of("up", "--data", data.toString()));
        all.addAll(List.of(options));
        return Program.start(folder, all.toArray(String[]::new));
    }

    @Test
    void anObjectThatIsTooLargeIsRefusedAndTheOthersAreServed() throws IOException, InterruptedException {
        try (Program up = up()) {
            up.awaitOut(READY);
            for (int megabytes : List.of(2, 5)) {
                Ran refused = apply("large", large("large", megabytes << 20) + "---\n" + Cluster.ofDevices(megabytes));
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
                            """).err()).contains("has this uid already");
            assertThat(apply("claim", Cluster.usedClaim("a", 3)).exitCode()).isZero();
            await("a granted node-1", "get", "claims");
            Ran status = on("status");
            assertThat(status.exitCode()).isZero();
            assertThat(status.out().replaceAll(" +", " "))
                    .contains("claimstream is up ", "writer up ", "cluster up takes changes")
                    .containsPattern("watcher up follows 9 kinds, \\d+ changes to go")
                    .contains("liveness up nodes with an agent that are heard: 0");
            up.interrupt();
            assertThat(up.awaitEnd()).isZero();
            assertThat(up.err()).isEmpty();
        }
    }

    @ParameterizedTest(name = "{0} cells")
    @ValueSource(ints = {1, 2})
    @Tag("part-1")
    void aStateThatIsLostIsRebuiltWhereThatIsAskedFor(int cells)
            throws IOException, InterruptedException, ExecutionException {
        try (Program up = up("--cells", Integer.toString(cells), "--threads", "2")) {
            up.awaitOut(READY);
            apply("cluster", Cluster.ofDevices(2) + Cluster.usedClaim("a", 1));
            await("a granted node-1", "get", "claims");
            apply("more", Cluster.usedClaim("b", 2));
            await("b waits", "get", "claims");
            assertThat(on("status").out()).contains(cells == 1 ? "1 cell at work" : "2 cells at work in 2 threads");
            up.interrupt();
            assertThat(up.awaitEnd()).isZero();
        }
        Changelogs.lose(data, cells);
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
            await("a granted node-1", "get", "claims");
            await("b waits", "get", "claims");
            up.interrupt();
            assertThat(up.awaitEnd()).isZero();
        }
    }

    /** The log exceeds the file size limit of the process. */
    @Test
    @Tag("part-2")
    void aFolderThatCannotBeWrittenIsSaidAndNothingThatWasAnsweredIsLost() throws IOException, InterruptedException {
        String script = "(ulimit -f 14336; \"$@\"); echo \"ended with $?\" >&2; exec \"$@\"";
        try (Program up = Program.scripted(folder, List.of(), script, "up", "--data", data.toString())) {
            up.awaitOut(READY);
            apply("cluster", Cluster.ofDevices(2) + Cluster.usedClaim("a", 1));
            await("a granted node-1", "get", "claims");
            List<String> kept = applyUntilRefused();
            Program.await(() -> up.err().contains("ended with 1\n"), "end with 1");
            assertThat(up.err()).contains(data.toString()).contains("start again");
            Program.await(() -> up.out().split(READY, -1).length == 3 || !up.isAlive(), "second start");
            assertThat(on("get", "nodes", "-o", "name").out().lines()).containsAll(kept);
            await("a granted node-1", "get", "claims");
        }
    }

    /** Creates nodes until one is rejected, and returns the names of the others. */
    private List<String> applyUntilRefused() throws IOException {
        List<String> kept = new ArrayList<>();
        for (int i = 0; apply("large", large("large-" + i, 500_000)).exitCode() == 0; i++) {
            kept.add("node/large-" + i);
        }
        assertThat(kept).isNotEmpty();
        return kept;
    }

    @Test
    @Timeout(600)
    @Tag("part-4")
    void aDiskThatIsFullIsWaitedForAndItGoesOnByItself() throws IOException, InterruptedException {
        Path mounted = Files.createDirectory(folder.resolve("disk"));
        data = mounted.resolve("data");
        try (Program up = Program.scripted(
                folder,
                ownMounts(),
                "mount -t tmpfs -o size=200m none %s && exec \"$@\"".formatted(mounted),
                "up",
                "--data",
                data.toString())) {
            up.awaitOut(READY);
            Path ballast = up.seen(mounted.resolve("ballast"));
            data = up.seen(data);
            Optional<Endpoint> before = DataFolder.publishedEndpoint(data);
            apply("cluster", Cluster.ofDevices(2) + Cluster.usedClaim("a", 1));
            await("a granted node-1", "get", "claims");

            fill(ballast, 10 << 20);
            List<String> kept = applyUntilRefused();
            Program.await(() -> up.err().contains("it goes on by itself once"), "word of the disk");
            assertThat(up.err()).contains("claimstream: the disk of " + mounted.resolve("data") + " ");
            assertThat(on("status").exitCode()).isEqualTo(1);
            Program.await(() -> on("get", "claims").err().contains("it waits for room: "), "refusal", A_WHILE);
            assertThat(on("status").out()).contains("it waits for room: ", "make room on it");
            assertThat(on("up").err()).contains("claimstream runs on", "already");
            assertThat(up.isAlive()).isTrue();

            Files.delete(ballast);
            up.awaitOut(AGAIN, A_WHILE);
            assertThat(DataFolder.publishedEndpoint(data)).isEqualTo(before);
            assertThat(on("get", "nodes", "-o", "name").out().lines()).containsAll(kept);
            assertThat(apply("more", Cluster.usedClaim("b", 1)).exitCode()).isZero();
            await("a granted node-1", "get", "claims");
            await("b granted node-1", "get", "claims");
            assertThat(on("status").exitCode()).isZero();

            fill(ballast, 0);
            Program.await(() -> up.err().split("it goes on by itself once", -1).length == 3, "word of it again");
            up.interrupt();
            assertThat(up.awaitEnd()).isZero();
            assertThat(up.out()).containsOnlyOnce(READY).containsOnlyOnce(AGAIN);
        }
    }

    /** Returns a shell command that may mount. */
    private static List<String> ownMounts() throws IOException, InterruptedException {
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
