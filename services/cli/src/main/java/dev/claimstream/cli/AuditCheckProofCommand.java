package dev.claimstream.cli;

import dev.claimstream.audit.AuditKeys;
import dev.claimstream.audit.EventProof;
import dev.claimstream.audit.LedgerEntry;
import dev.claimstream.audit.streams.ProofVerifier;
import dev.claimstream.cli.output.RunFailure;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Checks a proof without the log. */
@Command(
        name = "check-proof",
        mixinStandardHelpOptions = true,
        header = "Check the proof of an event, without a connection.",
        description = {"", "Checks the signature of the checkpoint and the path from the event to it.", ""},
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:the proof is valid", "1:the proof is not valid, or a file cannot be read"},
        footer = {"", "Example: claimstream audit check-proof proof.json --key public.pem"})
final class AuditCheckProofCommand implements Callable<Integer> {
    @Parameters(paramLabel = "FILE", description = "File of the proof.")
    private Path file = Path.of("");

    @Option(
            names = "--key",
            required = true,
            paramLabel = "PUB",
            description = "PEM file with the Ed25519 public key (openssl pkey -in KEY -pubout).")
    private Path key = Path.of("");

    @Spec
    private CommandSpec spec;

    @SuppressWarnings("NullAway.Init") // picocli sets the fields before it runs anything
    private AuditCheckProofCommand() {}

    @Override
    public Integer call() {
        EventProof proof = AuditFiles.read(file, "proof", EventProof::of);
        try {
            EventProof.ProvenEvent proven = ProofVerifier.verify(proof, AuditKeys.publicKey(key));
            LedgerEntry entry = proven.entry();
            spec.commandLine()
                    .getOut()
                    .println("valid: cell %d, input %d, event %d at %s: %s %s; covered by the checkpoint of %s"
                            .formatted(
                                    entry.cell(),
                                    entry.input(),
                                    entry.index(),
                                    entry.at(),
                                    entry.event(),
                                    entry.subject(),
                                    proven.checkpointTime()));
            return ExitCodes.SUCCESS;
        } catch (IllegalArgumentException e) {
            throw new RunFailure("%s is not valid: %s".formatted(file, e.getMessage()));
        }
    }
}
