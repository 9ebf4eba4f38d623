package dev.claimstream.cli;

import dev.claimstream.audit.ArchiveStore;
import dev.claimstream.audit.AuditKeys;
import dev.claimstream.audit.AuditLog;
import dev.claimstream.audit.Checkpoint;
import dev.claimstream.audit.CheckpointFiles;
import dev.claimstream.audit.Checkpoints;
import java.nio.file.Path;
import java.security.PrivateKey;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Signs the present state of all ledgers. */
@Command(
        name = "checkpoint",
        mixinStandardHelpOptions = true,
        header = "Verify the ledgers, and sign their present state.",
        description = {
            "",
            "Writes a checkpoint with the chain head of each cell, Merkle roots over all events, and an Ed25519 signature. Keep"
                    + " it where the holder of Kafka and of the key cannot change it: audit verify --checkpoint then finds"
                    + " a rewritten or truncated ledger.",
            ""
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:the checkpoint is written", "1:the log cannot be read, or is not intact"},
        footer = {"", "Example: claimstream audit checkpoint --key key.pem --out checkpoint.json"})
final class AuditCheckpointCommand implements Callable<Integer> {
    @Mixin
    private RecordedLogOption source;

    @Option(
            names = "--key",
            required = true,
            paramLabel = "FILE",
            description = "PEM file with an Ed25519 private key (openssl genpkey -algorithm ed25519).")
    private Path key = Path.of("");

    @Option(names = "--out", paramLabel = "FILE", description = "File of the checkpoint.")
    private Optional<Path> file = Optional.empty();

    @Option(
            names = "--publish",
            paramLabel = "DIR|URI",
            description = "Publish the checkpoint in this archive, for example in a bucket with Object Lock.")
    private Optional<String> publication = Optional.empty();

    @Spec
    private CommandSpec spec;

    @SuppressWarnings("NullAway.Init") // picocli sets the fields before it runs anything
    private AuditCheckpointCommand() {}

    @Override
    public Integer call() {
        if (file.isEmpty() && publication.isEmpty()) {
            throw new ParameterException(
                    spec.commandLine(), "--out or --publish is missing: name a file, or an archive for the checkpoint");
        }
        PrivateKey signer = AuditKeys.privateKey(key);
        try (AuditLog log = source.open()) {
            Checkpoint checkpoint = Checkpoints.make(log, Instant.now().truncatedTo(ChronoUnit.MILLIS), signer);
            List<String> places = new ArrayList<>();
            file.ifPresent(each -> {
                AuditFiles.write(each, checkpoint.text());
                places.add(each.toString());
            });
            publication.ifPresent(each -> places.add(publish(checkpoint, each)));
            spec.commandLine()
                    .getOut()
                    .println("%s: root %s over %d events of %d ledgers at %s"
                            .formatted(
                                    String.join(", ", places),
                                    checkpoint.root(),
                                    checkpoint.ledgers().stream()
                                            .mapToLong(Checkpoint.LedgerState::events)
                                            .sum(),
                                    checkpoint.ledgers().size(),
                                    checkpoint.time()));
            return ExitCodes.SUCCESS;
        }
    }

    private static String publish(Checkpoint checkpoint, String location) {
        try (ArchiveStore store = ArchiveStore.of(location)) {
            return new CheckpointFiles(store).publish(checkpoint);
        }
    }
}
