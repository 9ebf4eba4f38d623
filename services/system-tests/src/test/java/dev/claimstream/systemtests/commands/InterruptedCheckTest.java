package dev.claimstream.systemtests.commands;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.systemtests.process.Program;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests that an interrupted {@code claimstream check} ends everything that it started, with a program in place of Maven. */
class InterruptedCheckTest {
    /** Stands for Maven: it starts a fork that starts a broker. The broker ignores the death of its parents, and the signal if asked. */
    private static final String MAVEN = """
            #!/bin/sh
            echo '[INFO] Building some module 1.0 [1/2]'
            sh -c 'sh -c "echo \\$\\$ >broker.pid; @BROKER@ sleep 300" & echo $$ >fork.pid; wait; sleep 300' &
            echo $$ >maven.pid
            wait
            """;

    /** A shell cannot trap a signal that its parent ignores, as {@code nohup} and background jobs do. */
    private static final List<String> SIGNALS_BY_DEFAULT =
            List.of("perl", "-e", "@SIG{qw(HUP INT)} = ('DEFAULT') x 2; exec @ARGV");

    /** Time until the launcher kills a program that ignores the signal. */
    private static final String END_SECONDS = "readonly END_SECONDS=25\n";

    @TempDir
    private Path folder = Path.of("");

    private Path tree = Path.of("");

    @BeforeEach
    void installTree() throws IOException {
        tree = Files.createDirectories(folder.resolve("a tree"));
        String launcher = Files.readString(Path.of("..", "..", "claimstream"));
        assertThat(launcher).contains(END_SECONDS);
        Files.writeString(tree.resolve("claimstream"), launcher.replace(END_SECONDS, "readonly END_SECONDS=3\n"));
        Files.createDirectories(folder.resolve("bin"));
    }

    private Process startCheck(String brokerCommand) throws IOException {
        Path maven = folder.resolve("bin/mvn");
        Files.writeString(maven, MAVEN.replace("@BROKER@", brokerCommand));
        Files.setPosixFilePermissions(maven, PosixFilePermissions.fromString("rwxr-xr-x"));
        Files.setPosixFilePermissions(tree.resolve("claimstream"), PosixFilePermissions.fromString("rwxr-xr-x"));
        List<String> command = new ArrayList<>(SIGNALS_BY_DEFAULT);
        command.addAll(List.of(tree.resolve("claimstream").toString(), "check"));
        var builder = new ProcessBuilder(command)
                .redirectError(folder.resolve("err").toFile())
                .redirectOutput(folder.resolve("out").toFile());
        builder.environment().put("PATH", "%s%s/usr/bin:/bin".formatted(maven.getParent(), File.pathSeparator));
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        return builder.start();
    }

    private ProcessHandle awaitChild(String name) throws IOException, InterruptedException {
        Path file = tree.resolve(name + ".pid");
        Program.await(() -> file.toFile().length() > 0, name + " to start");
        return ProcessHandle.of(Long.parseLong(
                        Files.readString(file, StandardCharsets.US_ASCII).strip()))
                .orElseThrow();
    }

    @ParameterizedTest
    @CsvSource({"TERM, 143", "HUP, 129", "INT, 130"})
    void signalToScriptAloneEndsAllChildren(String signal, int exitCode) throws IOException, InterruptedException {
        Process check = startCheck("exec");
        try (var children = new Children(awaitChild("maven"), awaitChild("fork"), awaitChild("broker"))) {
            assertThat(new ProcessBuilder("kill", "-" + signal, Long.toString(check.pid()))
                            .start()
                            .waitFor())
                    .isZero();
            assertThat(check.waitFor(1, TimeUnit.MINUTES)).isTrue();
            Program.await(() -> children.all().stream().noneMatch(ProcessHandle::isAlive), "all to end");
        }
        assertThat(check.exitValue()).isEqualTo(exitCode);
        assertThat(Files.readString(folder.resolve("out")))
                .as("no number of failures")
                .isEmpty();
        assertThat(err()).endsWith("claimstream: interrupted: no result\n");
        assertThat(lock()).doesNotExist();
    }

    private String err() {
        try {
            return Files.readString(folder.resolve("err"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Path lock() {
        return tree.resolve(".claimstream/lock");
    }

    @Test
    void childThatIgnoresTheSignalIsKilled() throws IOException, InterruptedException {
        Process check = startCheck("trap : TERM; while :; do sleep 1; done;");
        try (var children = new Children(awaitChild("broker"))) {
            check.destroy();
            assertThat(check.waitFor(1, TimeUnit.MINUTES)).isTrue();
            Program.await(() -> children.all().stream().noneMatch(ProcessHandle::isAlive), "all to end");
        }
        assertThat(check.exitValue()).isEqualTo(143);
        assertThat(lock()).doesNotExist();
    }

    // ---- the lock

    @Test
    void checkWaitsForMavenOfKilledScript() throws IOException, InterruptedException {
        Process killed = startCheck("exec");
        try (var children = new Children(awaitChild("maven"), awaitChild("fork"), awaitChild("broker"))) {
            killed.destroyForcibly().waitFor();
            Process check = startCheck("exec");
            Program.await(() -> err().contains("another build is running here (Maven of a launcher"), "it to wait");
            assertThat(children.all()).allMatch(ProcessHandle::isAlive);
            children.kill();
            endOnceBuilding(check);
        }
    }

    @Test
    void lockWithoutOwnerIsDiscarded() throws IOException, InterruptedException {
        Files.createDirectories(lock());
        endOnceBuilding(startCheck("exec"));
    }

    private void endOnceBuilding(Process check) throws InterruptedException {
        Program.await(() -> err().contains("building and testing"), "Maven to start");
        check.destroy();
        assertThat(check.waitFor(1, TimeUnit.MINUTES)).isTrue();
        assertThat(lock()).doesNotExist();
    }

    @Test
    void interruptedWaitKeepsLockOfOther() throws IOException, InterruptedException {
        Files.createDirectories(lock());
        Files.writeString(
                lock().resolve("pid"), Long.toString(ProcessHandle.current().pid()));
        Process check = startCheck("exec");
        Program.await(() -> err().contains("another build is running here (process "), "it to wait");
        check.destroy();
        assertThat(check.waitFor(1, TimeUnit.MINUTES)).isTrue();
        assertThat(check.exitValue()).isEqualTo(143);
        assertThat(lock()).isDirectory();
    }

    /** Started processes, which the test ends in any case. */
    private record Children(List<ProcessHandle> all) implements AutoCloseable {
        Children(ProcessHandle... all) {
            this(List.of(all));
        }

        void kill() {
            all.forEach(ProcessHandle::destroyForcibly);
        }

        @Override
        public void close() {
            kill();
        }
    }
}
