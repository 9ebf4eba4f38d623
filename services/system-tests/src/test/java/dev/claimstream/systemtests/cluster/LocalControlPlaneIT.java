package dev.claimstream.systemtests.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.cli.Main;
import dev.claimstream.systemtests.process.CommandResult;
import dev.claimstream.systemtests.process.Program;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests {@code claimstream up --control-plane} and the commands that it suggests. */
@Timeout(240)
class LocalControlPlaneIT {
    private static final Path ROOT = Path.of("..", "..");

    @TempDir
    private Path folder = Path.of("");

    private String data() {
        return folder.resolve("data").toString();
    }

    /** Runs a suggested command in the root of the repository. */
    private String paste(String line) throws IOException, InterruptedException {
        return run(ROOT, List.of(line.split(" ")));
    }

    /** Runs a command as an administrator, with the programs of the control plane in the path. */
    private String run(Path where, List<String> command) throws IOException, InterruptedException {
        Path programs = Kubernetes.program().path().toAbsolutePath().getParent();
        var builder = new ProcessBuilder("env", "PATH=%s:%s".formatted(programs, System.getenv("PATH")))
                .directory(where.toFile())
                .redirectErrorStream(true);
        builder.command().addAll(command);
        builder.environment()
                .put(
                        "KUBECONFIG",
                        folder.resolve("data/control-plane/admin.kubeconfig")
                                .toAbsolutePath()
                                .toString());
        Process process = builder.start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
        assertThat(process.exitValue()).as(command + ": " + output).isZero();
        return output;
    }

    private long runningPods() {
        try {
            return paste("kubectl get pods -o name --field-selector=status.phase=Running")
                    .lines()
                    .count();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    private String claims() {
        return CommandResult.run("get", "claims", "--data", data(), "-o", "wide")
                .out();
    }

    @Test
    @Tag("part-3")
    void runsSuggestedCommandsOnLocalControlPlane() throws IOException, InterruptedException {
        Kubernetes.program();
        try (Program up = Program.start(folder, "up", "--control-plane", "--all-claims", "--data", data())) {
            up.awaitOut("Ctrl-C ends it");
            List<String> lines = up.out()
                    .lines()
                    .map(String::strip)
                    .filter(line -> line.startsWith("kubectl ") && !line.startsWith("kubectl   "))
                    .toList();
            assertThat(lines).hasSize(2);
            for (String line : lines) {
                paste(line);
            }
            Program.await(
                    () -> claims().lines()
                                    .filter(line -> line.contains(" true "))
                                    .count()
                            == 3,
                    "three claims that are committed");
            assertThat(claims()).contains("fills the node", "best of 2").doesNotContain("bound to");
            Program.await(() -> runningPods() == 3, "three pods that run");
            assertRecipeMakesWriterKubeconfig();
            up.interrupt();
            up.awaitEnd();
        }
    }

    private void assertRecipeMakesWriterKubeconfig() throws IOException, InterruptedException {
        String recipe = Files.readString(ROOT.resolve(Path.of("deploy", "policies", "README.md")))
                .lines()
                .dropWhile(line -> !line.equals("## The kubeconfig of up"))
                .dropWhile(line -> !line.startsWith("    "))
                .takeWhile(line -> line.startsWith("    "))
                .collect(Collectors.joining("\n", "set -euo pipefail\n", "\n"));
        assertThat(run(folder, List.of("bash", "-c", recipe)))
                .containsPattern("Username +system:serviceaccount:claimstream:writer\n");
        Path made = folder.resolve("writer.kubeconfig");
        CommandResult asked =
                CommandResult.run("get", "claims", "-o", "name", "--data", data(), "--kubeconfig", made.toString());
        assertThat(asked.out().lines()).as(asked.err()).hasSize(3);
        assertThat(CommandResult.run("doctor", "--data", data(), "--kubeconfig", made.toString())
                        .out())
                .contains("checked as system:serviceaccount:claimstream:writer")
                .containsPattern("ok +permissions of one process ");
    }

    @Test
    @Tag("part-1")
    void usesServersOfKubebuilderAssets() throws IOException, InterruptedException {
        Path assets = Files.createDirectories(folder.resolve("assets"));
        Map<String, String> named = Map.of("KUBEBUILDER_ASSETS", assets.toString());
        String[] command = {"up", "--control-plane", "--data", data()};
        Path etcd = installProgram(assets, "etcd");
        try (Program up = Program.start(folder, named, Main.class.getName(), command)) {
            assertThat(up.awaitEnd()).isEqualTo(1);
            assertThat(up.err()).contains("KUBEBUILDER_ASSETS=" + assets + " has no kube-apiserver: unset it");
        }
        Path server = installProgram(assets, "kube-apiserver");
        try (Program up = Program.start(folder, named, Main.class.getName(), command)) {
            up.awaitOut("Ctrl-C ends it");
            assertThat(etcd).exists();
            assertThat(server).exists();
            up.interrupt();
            up.awaitEnd();
        }
    }

    /** Installs a program that leaves a file when it starts, and returns that file. */
    private static Path installProgram(Path assets, String name) throws IOException {
        Path trace = assets.resolve(name + ".was-started");
        Path program =
                Kubernetes.program().path().resolveSibling("control-plane").toAbsolutePath();
        Path script = Files.writeString(
                assets.resolve(name), "#!/bin/sh\n: > '%s'\nexec '%s' %s \"$@\"\n".formatted(trace, program, name));
        assertThat(script.toFile().setExecutable(true)).isTrue();
        return trace;
    }
}
