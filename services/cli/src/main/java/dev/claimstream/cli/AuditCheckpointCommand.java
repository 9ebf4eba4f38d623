package dev.claimstream.cli;

import dev.claimstream.audit.ArchiveStore;
import dev.claimstream.audit.AuditKeys;
import dev.claimstream.audit.AuditLog;
import dev.claimstream.audit.Checkpoint;
import dev.claimstream.audit.CheckpointFiles;
import dev.claimstream.audit.Checkpoints;
import dev.claimstream.audit.LogReplacedException;
import dev.claimstream.audit.PublishedCheckpoint;
import dev.claimstream.cli.output.RunFailure;
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
            "With --publish, the log must continue the log of the last checkpoint there: each ledger must have the head of"
                    + " that checkpoint at its offset. Otherwise no checkpoint is written.",
            ""
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:the checkpoint is written",
            "1:the log cannot be read, is not intact, or does not continue the log of the last published checkpoint"
        },
        footer = {"", "Example: claimstream audit checkpoint --key key.pem --out checkpoint.json"})
final class AuditCheckpointCommand implements Callable<Integer> {
    private static final String REMEDY =
            "If retention has deleted the events, name an archive that has them with --archive."
                    + " If an archive is older than the checkpoint, name its topics, too, or wait for its next run."
                    + " If topics were created again, for example in a new Kafka, sign once with --new-log, or publish elsewhere."
                    + " Otherwise the log was rewritten or truncated: keep the log and the checkpoint as evidence.";

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

    @Option(
            names = "--earlier-key",
            paramLabel = "FILE",
            description =
                    "PEM file with the public key of the last published checkpoint, once after the key was replaced.")
    private Optional<Path> earlierKey = Optional.empty();

    @Option(
            names = "--new-log",
            description =
                    "Sign a log that does not continue the log of the last published checkpoint, once after topics"
                            + " were created again. The differences are printed.")
    private boolean isNewLog;

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
        if (publication.isEmpty() && (isNewLog || earlierKey.isPresent())) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--new-log and --earlier-key concern the last checkpoint at --publish: add --publish, or leave them out");
        }
        PrivateKey signer = AuditKeys.privateKey(key);
        // before the log: a run at the same time may publish a checkpoint of events that an archive got meanwhile
        Optional<PublishedCheckpoint> earlier = publication.flatMap(each -> earlier(each, signer));
        try (AuditLog log = source.open()) {
            Checkpoint checkpoint = sign(log, signer, earlier);
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

    private Checkpoint sign(AuditLog log, PrivateKey signer, Optional<PublishedCheckpoint> earlier) {
        Instant now = Instant.now().truncatedTo(ChronoUnit.MILLIS);
        if (earlier.isEmpty()) {
            return Checkpoints.create(log, now, signer);
        }
        try {
            return Checkpoints.createContinuation(log, now, signer, earlier.get());
        } catch (LogReplacedException e) {
            if (!isNewLog) {
                throw new RunFailure(e.getMessage() + ". No checkpoint is written. " + REMEDY);
            }
            spec.commandLine().getErr().println("--new-log: " + e.getMessage());
            return Checkpoints.create(log, now, signer);
        }
    }

    /** Returns the last published checkpoint that is authentic. */
    private Optional<PublishedCheckpoint> earlier(String location, PrivateKey signer) {
        try (ArchiveStore store = ArchiveStore.of(location)) {
            var files = new CheckpointFiles(store);
            List<String> passed = new ArrayList<>();
            Optional<PublishedCheckpoint> last = files.last(each -> isAuthentic(each, signer), passed::add);
            if (last.isEmpty() && !passed.isEmpty()) {
                throw new RunFailure(
                        "no checkpoint at %s is signed by the key of %s (%s): they are forged, or the key was replaced. After a replacement, name the earlier public key once with --earlier-key."
                                .formatted(store.location(), earlierKey.orElse(key), passed.getFirst()));
            }
            // an overwritten checkpoint is skipped too, and the one before it would let a rewritten log be signed
            List<String> replaced = files.replaced();
            if (!replaced.isEmpty() && !isNewLog) {
                throw new RunFailure(
                        "%s No checkpoint is written. If a lock keeps the later version, keep it as evidence, and publish at another place."
                                .formatted(replaced.getFirst()));
            }
            passed.forEach(each -> spec.commandLine()
                    .getErr()
                    .println("claimstream: skipped: %s. Keep a copy as evidence.".formatted(each)));
            return last;
        }
    }

    private boolean isAuthentic(Checkpoint checkpoint, PrivateKey signer) {
        return checkpoint.isSignedWith(signer)
                || earlierKey
                        .map(AuditKeys::publicKey)
                        .filter(checkpoint::isSignedBy)
                        .isPresent();
    }

    private static String publish(Checkpoint checkpoint, String location) {
        try (ArchiveStore store = ArchiveStore.of(location)) {
            return new CheckpointFiles(store).publish(checkpoint);
        }
    }
}
