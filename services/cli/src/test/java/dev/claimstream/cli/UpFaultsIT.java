package dev.claimstream.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What {@code claimstream up} does with what does not fit: objects that are too large, a state that is lost, a disk that is full. */
@Timeout(180)
final class UpFaultsIT {
    private static final String READY = "Ctrl-C ends it";

    /** What a file may have, in KiB: a log that grows beyond it meets what a full disk is to a process. */
    private static final int FILE_KIB = 14_336;

    @TempDir
    private Path folder = Path.of("");

    private Path data() {
        return folder.resolve("data");
    }

    private Ran on(String... command) {
        List<String> all = new ArrayList<>(List.of(command));
        all.addAll(List.of("--data", data().toString()));
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
        List<String> all = new ArrayList<>(List.of("up", "--data", data().toString()));
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
        Changelogs.lose(data(), cells);
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

    @Test
    void aDiskThatIsFullIsSaidAndNothingThatWasAnsweredIsLost() throws IOException, InterruptedException {
        List<String> kept = new ArrayList<>();
        try (Program up = Program.limited(folder, FILE_KIB, "up", "--data", data().toString())) {
            up.awaitOut(READY);
            apply("cluster", Cluster.ofDevices(2) + Cluster.claim("a", 1));
            await("a granted node-1", "get", "claims");
            for (int i = 0; up.isAlive() && i < 100; i++) {
                Ran applied = apply("large", large("large-" + i, 500_000));
                if (applied.exitCode() == 0) {
                    kept.add("large-" + i);
                }
            }
            assertThat(up.awaitEnd()).isEqualTo(1);
            assertThat(up.err()).contains(data().toString()).contains("start again");
        }
        assertThat(kept).isNotEmpty();
        try (Program up = up()) {
            up.awaitOut(READY);
            assertThat(on("get", "nodes", "-o", "name").out().lines())
                    .containsAll(kept.stream().map(each -> "node/" + each).toList());
            await("a granted node-1", "get", "claims");
        }
    }
}
