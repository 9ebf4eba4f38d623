package dev.claimstream.cli;

import dev.claimstream.audit.ArchiveErasure;
import dev.claimstream.audit.ArchiveErasure.ErasureSummary;
import dev.claimstream.audit.ArchiveLog;
import dev.claimstream.audit.FolderStore;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Erases names in an archive. */
@Command(
        name = "erase",
        mixinStandardHelpOptions = true,
        header = "Erase the names of pods, claims and namespaces in the old part of an archive.",
        description = {
            "",
            "Rewrites the segments whose last record is before a time, and deletes the states before it. Labels,"
                    + " annotations, messages and opaque configuration are erased too. Devices, nodes, classes, UIDs, times and"
                    + " hashes stay: verify still follows the chain, and who, history and usage still answer, without names. What"
                    + " is erased cannot be replayed. There is no way back.",
            ""
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:the names are erased",
            "1:there is a legal hold, the folder is not an archive, another program archives to it, or it cannot be written"
        },
        footer = {"", "Example: claimstream audit erase --archive /var/lib/claimstream-archive --before 400d"})
final class AuditEraseCommand implements Callable<Integer> {
    @Option(names = "--archive", required = true, paramLabel = "DIR", description = "Folder of the archive.")
    private Path folder = Path.of("");

    @Option(
            names = "--before",
            required = true,
            paramLabel = "TIME",
            description = "Time with its zone, or a duration before now like 400d.")
    private String before = "";

    @Spec
    private CommandSpec spec;

    @SuppressWarnings("NullAway.Init") // picocli sets the fields before it runs anything
    private AuditEraseCommand() {}

    @Override
    public Integer call() {
        Instant time =
                PastTime.of(spec.commandLine(), "--before", Optional.of(before)).orElseThrow();
        new ArchiveLog(new FolderStore(folder)).close(); // fails if the folder is not an archive
        ErasureSummary summary = new ArchiveErasure(new FolderStore(folder)).run(time);
        PrintWriter out = spec.commandLine().getOut();
        out.printf(
                "names before %s are erased: %d segment%s with %d records, %d state%s deleted%n",
                time,
                summary.segments(),
                summary.segments() == 1 ? "" : "s",
                summary.records(),
                summary.states(),
                summary.states() == 1 ? "" : "s");
        out.flush();
        return ExitCodes.SUCCESS;
    }
}
