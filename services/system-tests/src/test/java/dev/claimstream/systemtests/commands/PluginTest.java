package dev.claimstream.systemtests.commands;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests the script {@code kubectl-claimstream} with a launcher that prints its arguments. */
class PluginTest {
    private static final Path SCRIPT = Path.of("..", "..", "kubectl-claimstream");

    /** The path of a minimal machine. */
    private static final String PATH = "/usr/bin" + File.pathSeparator + "/bin";

    @TempDir
    private Path folder = Path.of("");

    private Path tree = Path.of("");

    @BeforeEach
    void installScript() throws IOException {
        tree = Files.createDirectories(folder.resolve("a tree"));
        Files.copy(
                SCRIPT,
                writeProgram(tree, "kubectl-claimstream", ""),
                java.nio.file.StandardCopyOption.REPLACE_EXISTING);
        makeExecutable(tree.resolve("kubectl-claimstream"));
        writeLauncher(tree, "tree");
    }

    private static Path writeLauncher(Path place, String name) throws IOException {
        return writeProgram(
                place,
                "claimstream",
                "#!/bin/sh\nprintf '%s plugin=%%s' \"$CLAIMSTREAM_PLUGIN\"\nfor each in \"$@\"; do printf ' [%%s]' \"$each\"; done\nexit 3\n"
                        .formatted(name));
    }

    private static Path writeProgram(Path place, String name, String text) throws IOException {
        Path file = Files.createDirectories(place).resolve(name);
        Files.writeString(file, text);
        return makeExecutable(file);
    }

    private static Path makeExecutable(Path file) throws IOException {
        return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    private record PluginResult(int exitCode, String out, String err) {}

    private PluginResult run(Path script, Map<String, String> environment, String... arguments)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(script.toString()));
        command.addAll(List.of(arguments));
        Path err = folder.resolve("err");
        var builder = new ProcessBuilder(command).directory(folder.toFile()).redirectError(err.toFile());
        builder.environment().clear();
        builder.environment().put("PATH", PATH);
        builder.environment().putAll(environment);
        Process process = builder.start();
        String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
        return new PluginResult(process.exitValue(), out, Files.readString(err));
    }

    private Path createLinks() throws IOException {
        Path bin = Files.createDirectories(folder.resolve("bin"));
        Path middle = Files.createSymbolicLink(folder.resolve("middle"), Path.of("a tree/kubectl-claimstream"));
        return Files.createSymbolicLink(bin.resolve("kubectl-claimstream"), bin.relativize(middle));
    }

    @Test
    void resolvesLinksAndKeepsExitCode() throws IOException, InterruptedException {
        PluginResult result = run(createLinks(), Map.of(), "get", "claims", "-A", "a b", "");
        assertThat(result).isEqualTo(new PluginResult(3, "tree plugin=1 [get] [claims] [-A] [a b] []", ""));
    }

    @ParameterizedTest
    @CsvSource({
        "get claims -n team --context c, [get] [claims] [-n] [team] [--context] [c]",
        "-n team get claims, [get] [-n] [team] [claims]",
        "--context=c --kubeconfig f -A get claims, [get] [--context=c] [--kubeconfig] [f] [-A] [claims]",
        "--namespace team --context c doctor, [doctor] [--namespace] [team] [--context] [c]",
        "-nteam watch, [watch] [-nteam]",
        "--help, [--help]",
        "'', ''"
    })
    void movesOptionsBehindCommand(String typed, String passed) throws IOException, InterruptedException {
        String[] words = typed.isEmpty() ? new String[0] : typed.split(" ");
        assertThat(run(createLinks(), Map.of(), words).out()).isEqualTo(("tree plugin=1 " + passed).strip());
    }

    @Test
    void rejectsOptionWithoutValue() throws IOException, InterruptedException {
        PluginResult result = run(createLinks(), Map.of(), "--context");
        assertThat(result).isEqualTo(new PluginResult(1, "", "kubectl claimstream: --context requires a value\n"));
    }

    @Test
    void copyFindsLauncherByVariableOrPath() throws IOException, InterruptedException {
        Path copy = makeExecutable(Files.copy(
                SCRIPT, Files.createDirectories(folder.resolve("copy")).resolve("kubectl-claimstream")));
        PluginResult lost = run(copy, Map.of(), "get", "claims");
        assertThat(lost.exitCode()).isEqualTo(1);
        assertThat(lost.err()).startsWith("kubectl claimstream: there is no claimstream: link to kubectl-claimstream");
        assertThat(run(copy, Map.of("CLAIMSTREAM_HOME", tree.toString()), "status")
                        .out())
                .isEqualTo("tree plugin=1 [status]");
        Path elsewhere = writeLauncher(folder.resolve("elsewhere"), "elsewhere").getParent();
        assertThat(run(copy, Map.of("PATH", elsewhere + File.pathSeparator + PATH), "status")
                        .out())
                .isEqualTo("elsewhere plugin=1 [status]");
        PluginResult wrong = run(copy, Map.of("CLAIMSTREAM_HOME", folder.toString()), "status");
        assertThat(wrong.err()).contains("there is no claimstream at " + folder.resolve("claimstream"));
    }
}
