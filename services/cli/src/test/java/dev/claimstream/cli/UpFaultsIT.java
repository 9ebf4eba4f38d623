package dev.claimstream.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What {@code claimstream up} does with what does not fit: objects that are too large, a state that is lost, a disk that is full. */
@Timeout(180)
final class UpFaultsIT {
    private static final String READY = "Ctrl-C ends it";

    @TempDir
    private Path folder = Path.of("");

    private Path data = Path.of("");

    /** A disk that has no room the first time, and has some the second time. */
    private enum Disk {
        /** A log that grows beyond what a file may have meets what a full disk is to a process. */
        LIMIT_OF_FILES("(ulimit -f 14336; \"$@\")", "", "start again"),
        /** A real one, where this user can mount it. */
        SMALL("mount -t tmpfs -o size=40m none $DISK && \"$@\"", "mount -o remount,size=400m $DISK && ", "is full");

        private final String first;
        private final String makeRoom;
        private final String said;

        Disk(String first, String makeRoom, String said) {
            this.first = first;
            this.makeRoom = makeRoom;
            this.said = said;
        }

        static Stream<Disk> usable() throws IOException, InterruptedException {
            boolean canMount =
                    new ProcessBuilder("unshare", "-m", "mount", "-t", "tmpfs", "-o", "size=1m", "none", "/tmp")
                                    .start()
                                    .waitFor()
                            == 0;
            return canMount ? Stream.of(values()) : Stream.of(LIMIT_OF_FILES);
        }

        List<String> shell() {
            return this == SMALL ? List.of("unshare", "-m") : List.of();
        }

        /** Runs the command until there is no room, and then again. */
        String script(Path disk) {
            return "DISK=%s; %s; echo \"ended with $?\" >&2; %sexec \"$@\"".formatted(disk, first, makeRoom);
        }
    }

    static Stream<Disk> disks() throws IOException, InterruptedException {
        return Disk.usable();
    }

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
            assertThat(apply("claim", Cluster.claim("a", 3)).exitCode()).isZero();
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
    void aStateThatIsLostIsRebuiltWhereThatIsAskedFor(int cells)
            throws IOException, InterruptedException, ExecutionException {
        try (Program up = up("--cells", Integer.toString(cells), "--threads", "2")) {
            up.awaitOut(READY);
            apply("cluster", Cluster.ofDevices(2) + Cluster.claim("a", 1));
            await("a granted node-1", "get", "claims");
            apply("more", Cluster.claim("b", 2));
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

    @ParameterizedTest
    @MethodSource("disks")
    void aDiskThatIsFullIsSaidAndNothingThatWasAnsweredIsLost(Disk disk) throws IOException, InterruptedException {
        List<String> kept = new ArrayList<>();
        Path mounted = Files.createDirectory(folder.resolve("disk"));
        data = mounted.resolve("data");
        try (Program up =
                Program.scripted(folder, disk.shell(), disk.script(mounted), "up", "--data", data.toString())) {
            up.awaitOut(READY);
            data = up.seen(data);
            apply("cluster", Cluster.ofDevices(2) + Cluster.claim("a", 1));
            await("a granted node-1", "get", "claims");
            while (apply("large", large("large-" + kept.size(), 500_000)).exitCode() == 0) {
                kept.add("large-" + kept.size());
            }
            Program.await(() -> up.err().contains("ended with 1\n"), "end with 1");
            assertThat(up.err()).contains(mounted.toString()).contains(disk.said);
            assertThat(kept).isNotEmpty();
            Program.await(() -> up.out().split(READY, -1).length == 3 || !up.isAlive(), "second start");
            assertThat(on("get", "nodes", "-o", "name").out().lines())
                    .containsAll(kept.stream().map(each -> "node/" + each).toList());
            await("a granted node-1", "get", "claims");
        }
    }
}
