package dev.claimstream.cli;

import dev.claimstream.audit.ArchiveLog;
import dev.claimstream.audit.ArchiveStore;
import dev.claimstream.audit.LegalHold;
import java.io.PrintWriter;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Sets, shows and ends the legal hold of an archive. */
@Command(
        name = "hold",
        mixinStandardHelpOptions = true,
        header = "Keep everything in an archive, whatever its retention, until the hold is released.",
        description = {
            "",
            "Without --reason and --release, prints the present hold. The hold is the file legal-hold of the archive.",
            ""
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:the hold was set, shown or released", "1:the folder is not an archive, or cannot be written"
        },
        footer = {"", "Example: claimstream audit hold --archive /var/lib/claimstream-archive --reason 'case 17'"})
final class AuditHoldCommand implements Callable<Integer> {
    @Option(names = "--archive", required = true, paramLabel = "DIR|URI", description = "Folder or URI of the archive.")
    private String location = "";

    @Option(names = "--reason", paramLabel = "TEXT", description = "Set the hold, with this reason.")
    private Optional<String> reason = Optional.empty();

    @Option(names = "--release", description = "Release the hold.")
    private boolean releases;

    @Spec
    private CommandSpec spec;

    @SuppressWarnings("NullAway.Init") // picocli sets the fields before it runs anything
    private AuditHoldCommand() {}

    @Override
    public Integer call() {
        if (releases && reason.isPresent()) {
            throw new ParameterException(
                    spec.commandLine(), "--reason and --release exclude each other: leave one out");
        }
        new ArchiveLog(ArchiveStore.of(location)).close(); // fails if there is no archive
        try (ArchiveStore store = ArchiveStore.of(location)) {
            return run(new LegalHold(store));
        }
    }

    private int run(LegalHold hold) {
        PrintWriter out = spec.commandLine().getOut();
        if (releases) {
            out.println(hold.release() ? "the hold is released" : "there was no hold");
        } else {
            reason.ifPresent(hold::set);
            out.println(hold.reason().map(each -> "legal hold: " + each).orElse("no hold"));
        }
        out.flush();
        return ExitCodes.SUCCESS;
    }
}
