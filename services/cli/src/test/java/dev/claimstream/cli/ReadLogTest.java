package dev.claimstream.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.claimstream.cli.output.RunFailure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import picocli.CommandLine.ExecutionException;
import picocli.CommandLine.ParseResult;

/** Tests which commands are in the log of reads, and the content of a line. */
final class ReadLogTest {
    @TempDir
    private Path folder = Path.of("");

    private Path file() {
        return folder.resolve("reads.log");
    }

    private void append(Class<?> command, String... arguments) {
        ParseResult parsed = new CommandLine(command).parseArgs(arguments);
        ReadLog.append(Optional.of(file().toString()), parsed);
    }

    @Test
    void appendsLinePerCommandThatReadsLog() throws IOException {
        append(ReplayCommand.class, "--archive", "/archive");
        append(WhoCommand.class, "gpu.example.com/node-1/gpu-0", "--archive", "s3://audit/claimstream");
        append(AuditVerifyCommand.class);
        append(ExplainCommand.class, "pod", "team/trainer-0", "--at", "2026-03-01T12:00:00Z");
        append(AuditImportCommand.class, "--archive", "a", "--bootstrap", "kafka:9092");
        List<String> lines = Files.readAllLines(file());
        assertThat(lines).hasSize(5);
        assertThat(lines.getFirst())
                .contains(
                        "\"at\":\"",
                        "\"user\":\"%s\"".formatted(System.getProperty("user.name")),
                        "\"command\":\"replay\"",
                        "\"--archive\",\"/archive\"");
    }

    @Test
    void leavesOutOtherCommandsAndWritesNothingWithoutFile() {
        append(LintCommand.class, "manifests");
        ReadLog.append(Optional.empty(), new CommandLine(ReplayCommand.class).parseArgs());
        ReadLog.append(Optional.of(""), new CommandLine(ReplayCommand.class).parseArgs());
        assertThat(file()).doesNotExist();
    }

    @Test
    void leavesOutHelp() {
        append(ReplayCommand.class, "--help");
        assertThat(file()).doesNotExist();
    }

    /** As a failure of the command, so that picocli reports it without a stack trace. */
    @Test
    void rejectsReadIfFileCannotBeWritten() throws IOException {
        Files.createDirectory(file());
        assertThatThrownBy(() -> append(ReplayCommand.class))
                .isInstanceOf(ExecutionException.class)
                .cause()
                .isInstanceOf(RunFailure.class)
                .hasMessageStartingWith("CLAIMSTREAM_READ_LOG=%s cannot be written".formatted(file()))
                .hasMessageEndingWith("name a file that this user may append to");
    }
}
