package dev.claimstream.cli;

import dev.claimstream.audit.Archiver;
import dev.claimstream.audit.Archiver.ArchiveSummary;
import dev.claimstream.audit.AuditLog;
import dev.claimstream.cli.output.CliVersion;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Copies inputs and ledger to an archive, up to their present end. */
@Command(
        name = "archive",
        mixinStandardHelpOptions = true,
        header = "Copy the inputs and the ledger to an archive, up to their present end.",
        description = {
            "",
            "Writes the committed records of cells.in, router.in and ledger.v1 that the archive does not have yet to"
                    + " sealed segments: Avro container files with a manifest each. A killed run leaves no gap and no"
                    + " duplicate; the next run continues after the last sealed segment.",
            ""
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:the archive has every record", "1:the log cannot be read, or the archive cannot be written"},
        footer = {"", "Example: claimstream audit archive --to /var/lib/claimstream-archive"})
final class AuditArchiveCommand implements Callable<Integer> {
    @Mixin
    private LogSourceOption source;

    @Option(
            names = "--to",
            required = true,
            paramLabel = "DIR",
            description = "Folder of the archive. It is created if it does not exist.")
    private Path folder = Path.of("");

    @Spec
    private CommandSpec spec;

    @SuppressWarnings("NullAway.Init") // picocli sets the fields before it runs anything
    private AuditArchiveCommand() {}

    @Override
    public Integer call() {
        PrintWriter out = spec.commandLine().getOut();
        PrintWriter err = spec.commandLine().getErr();
        try (AuditLog log = source.open();
                var archiver = new Archiver(
                        log,
                        folder,
                        Archiver.SegmentLimits.DEFAULT,
                        CliVersion.release(),
                        warning -> err.println("claimstream: " + warning))) {
            ArchiveSummary summary = archiver.run();
            out.println("%d records in %d new segments (%d bytes) in %s"
                    .formatted(
                            summary.records(),
                            summary.segments(),
                            summary.bytes(),
                            folder.toAbsolutePath().normalize()));
            out.flush();
            return ExitCodes.SUCCESS;
        }
    }
}
