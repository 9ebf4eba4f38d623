package dev.claimstream.cli;

import dev.claimstream.cli.input.FolderChecks;
import dev.claimstream.cli.output.RunFailure;
import dev.claimstream.history.store.AccessScope;
import dev.claimstream.history.store.HistoryReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Writes all intervals to a file. */
@Command(
        name = "export",
        mixinStandardHelpOptions = true,
        header = "Write all intervals of the history to a file.",
        description = {""},
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:the file is written", "1:the log cannot be read, or the file cannot be written"},
        footer = {"", "Example: claimstream audit export --format parquet --out history.parquet"})
final class AuditExportCommand implements Callable<Integer> {
    @Option(names = "--format", paramLabel = "FORMAT", description = "parquet, csv or json. Default: parquet.")
    private String format = "parquet";

    @Option(
            names = "--out",
            required = true,
            paramLabel = "FILE",
            description = "The file; it is replaced if it exists.")
    private Path file = Path.of("");

    @Mixin
    private HistoryOption history;

    @Spec
    private CommandSpec spec;

    @SuppressWarnings("NullAway.Init") // picocli sets the fields before it runs anything
    private AuditExportCommand() {}

    @Override
    public Integer call() {
        if (!HistoryReader.FORMATS.contains(format)) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--format %s: use one of %s".formatted(format, String.join(", ", HistoryReader.FORMATS)));
        }
        Path target = file.toAbsolutePath().normalize();
        if (Files.isDirectory(target)) {
            throw new RunFailure("%s is a folder: name a file with --out".formatted(file));
        }
        Optional.ofNullable(target.getParent()).ifPresent(folder -> FolderChecks.requireWritable("--out", folder));
        history.withTelemetry()
                .with(
                        client -> {
                            client.export(format, target);
                            return target;
                        },
                        reader -> {
                            Path written = reader.export(format, AccessScope.ADMINISTRATOR);
                            try {
                                return Files.move(written, target, StandardCopyOption.REPLACE_EXISTING);
                            } catch (IOException e) {
                                throw new UncheckedIOException(e);
                            }
                        });
        spec.commandLine().getOut().println("%s written".formatted(file));
        return ExitCodes.SUCCESS;
    }
}
