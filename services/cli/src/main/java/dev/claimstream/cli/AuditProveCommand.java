package dev.claimstream.cli;

import dev.claimstream.audit.AuditLog;
import dev.claimstream.audit.Checkpoint;
import dev.claimstream.audit.Checkpoints;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Writes the proof that a checkpoint covers an event. */
@Command(
        name = "prove",
        mixinStandardHelpOptions = true,
        header = "Prove that a checkpoint covers an event of the ledger.",
        description = {
            "",
            "Writes a file that claimstream audit check-proof accepts without the log. It contains the event, the"
                    + " checkpoint and the hashes between them, and no other event.",
            ""
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:the proof is written", "1:the log cannot be read, or no longer has the events"},
        footer = {"", "Example: claimstream audit prove 0/21 --checkpoint checkpoint.json --out proof.json"})
final class AuditProveCommand implements Callable<Integer> {
    private static final Pattern EVENT = Pattern.compile("([0-9]{1,9})/([0-9]{1,18})");

    @Parameters(paramLabel = "CELL/OFFSET", description = "Cell of the event, and its offset in the ledger.")
    private String event = "";

    @Option(names = "--checkpoint", required = true, paramLabel = "FILE", description = "Checkpoint after the event.")
    private Path checkpoint = Path.of("");

    @Option(names = "--out", required = true, paramLabel = "FILE", description = "File of the proof.")
    private Path file = Path.of("");

    @Mixin
    private RecordedLogOption source;

    @Spec
    private CommandSpec spec;

    @SuppressWarnings("NullAway.Init") // picocli sets the fields before it runs anything
    private AuditProveCommand() {}

    @Override
    public Integer call() {
        Matcher place = EVENT.matcher(event);
        if (!place.matches()) {
            throw new ParameterException(spec.commandLine(), "%s: use CELL/OFFSET, for example 0/21".formatted(event));
        }
        Checkpoint after = AuditFiles.read(checkpoint, "checkpoint", Checkpoint::of);
        try (AuditLog log = source.open()) {
            AuditFiles.write(
                    file,
                    Checkpoints.prove(log, after, Integer.parseInt(place.group(1)), Long.parseLong(place.group(2)))
                            .text());
            spec.commandLine().getOut().println("%s written".formatted(file));
            return ExitCodes.SUCCESS;
        }
    }
}
