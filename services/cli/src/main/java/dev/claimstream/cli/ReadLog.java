package dev.claimstream.cli;

import dev.claimstream.cli.input.FolderChecks;
import dev.claimstream.cli.output.RunFailure;
import dev.claimstream.manifests.tree.Tree;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.ExecutionException;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/**
 * The log of reads: a file with a line per command that reads the recorded log.
 *
 * <p>Its name is in a variable, so it is a log of accounts whose environment an administrator controls. A reader of the topics or of the
 * archive by another program is not in it.
 */
final class ReadLog {
    /** The variable with the name of the file. */
    static final String VARIABLE = "CLAIMSTREAM_READ_LOG";

    private ReadLog() {}

    /**
     * Appends the line of a command before it runs, unless it only prints its help.
     *
     * @param file absent or empty: nothing is written
     * @throws ExecutionException with a {@link RunFailure} if the file cannot be written: then the command must not run
     */
    static void append(Optional<String> file, ParseResult command) {
        file.filter(name -> !name.isBlank())
                .filter(_ -> !command.isUsageHelpRequested() && reads(command.commandSpec()))
                .ifPresent(name -> append(Path.of(name), command));
    }

    /** Whether a command can read a recorded log: an import, or one with the options of a log. */
    private static boolean reads(CommandSpec command) {
        return command.userObject() instanceof AuditImportCommand
                || command.userObject() instanceof LogSourceOption
                || command.userObject() instanceof StateOption
                || command.mixins().values().stream().anyMatch(ReadLog::reads);
    }

    private static String line(ParseResult command) {
        List<String> arguments = command.originalArgs();
        return Tree.mapping(fields -> fields.put("at", Instant.now().toString())
                        .put("user", System.getProperty("user.name", ""))
                        .put("pid", ProcessHandle.current().pid())
                        .put("command", command.commandSpec().qualifiedName(" "))
                        .put("arguments", Tree.texts(arguments)))
                .json();
    }

    private static void append(Path file, ParseResult command) {
        try {
            Files.writeString(
                    file,
                    line(command) + "\n",
                    StandardCharsets.UTF_8,
                    StandardOpenOption.CREATE,
                    StandardOpenOption.APPEND);
        } catch (IOException e) {
            var failure = new RunFailure(
                    "%s=%s cannot be written (%s), and the log is not read without it: name a file that this user may append to"
                            .formatted(VARIABLE, file, FolderChecks.reason(e)));
            // picocli reports no other exception of a strategy
            throw new ExecutionException(
                    command.commandSpec().commandLine(), String.valueOf(failure.getMessage()), failure);
        }
    }
}
