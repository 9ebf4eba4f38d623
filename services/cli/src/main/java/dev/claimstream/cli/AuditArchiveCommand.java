package dev.claimstream.cli;

import dev.claimstream.audit.ArchiveRetention;
import dev.claimstream.audit.ArchiveRetention.RetentionLimits;
import dev.claimstream.audit.ArchiveRetention.RetentionSummary;
import dev.claimstream.audit.ArchiveStore;
import dev.claimstream.audit.Archiver;
import dev.claimstream.audit.Archiver.ArchiveSummary;
import dev.claimstream.audit.AuditException;
import dev.claimstream.audit.AuditLog;
import dev.claimstream.audit.streams.SnapshotFold;
import dev.claimstream.audit.streams.TelemetryArchive;
import dev.claimstream.cli.output.CliVersion;
import dev.claimstream.cli.output.RunFailure;
import java.io.PrintWriter;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
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
            "Also archives the states of the cells at the last snapshot events of their ledgers: replay --from begins there."
                    + " With --keep and --keep-bytes, deletes the oldest segments; inputs that a replay needs stay, and a"
                    + " legal hold (audit hold) keeps everything.",
            "With --every, archives again and again until it is stopped, as a process of its own.",
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
            paramLabel = "DIR|URI",
            description = "Folder of the archive, which is created if it does not exist; or s3://BUCKET/PREFIX.")
    private String location = "";

    @Option(
            names = "--every",
            paramLabel = "SECONDS",
            description = "Archive at this interval until the process is stopped. After a failure, print it and retry.")
    private Optional<Integer> every = Optional.empty();

    @Option(
            names = "--keep",
            paramLabel = "DAYS",
            description = "Delete segments and telemetry whose last record is older. Default: keep them.")
    private Optional<Integer> keep = Optional.empty();

    @Option(
            names = "--keep-bytes",
            paramLabel = "N",
            description =
                    "Delete the oldest segments and hours of telemetry while all have more bytes. Default: keep them.")
    private Optional<Long> keepBytes = Optional.empty();

    @Spec
    private CommandSpec spec;

    @SuppressWarnings("NullAway.Init") // picocli sets the fields before it runs anything
    private AuditArchiveCommand() {}

    @Override
    public Integer call() throws InterruptedException {
        RetentionLimits limits = limits();
        if (every.filter(seconds -> seconds < 1).isPresent()) {
            throw new ParameterException(spec.commandLine(), "--every %d: use 1 second or more".formatted(every.get()));
        }
        if (every.isEmpty()) {
            archive(limits);
            return ExitCodes.SUCCESS;
        }
        var stop = new CountDownLatch(1);
        Runtime.getRuntime().addShutdownHook(new Thread(stop::countDown, "archive-stop"));
        do {
            try {
                archive(limits);
            } catch (AuditException | RunFailure e) {
                warn("%s Retrying in %d s.".formatted(e.getMessage(), every.get()));
            }
        } while (!stop.await(every.get(), TimeUnit.SECONDS));
        return ExitCodes.SUCCESS;
    }

    private RetentionLimits limits() {
        try {
            return new RetentionLimits(keep.map(Duration::ofDays), keepBytes);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), "--keep and --keep-bytes: " + e.getMessage(), e);
        }
    }

    private void archive(RetentionLimits limits) {
        try (AuditLog log = source.open();
                var store = ArchiveStore.of(location);
                var archiver =
                        new Archiver(log, store, Archiver.SegmentLimits.DEFAULT, CliVersion.release(), this::warn)) {
            ArchiveSummary summary = archiver.run();
            int states = new SnapshotFold(log, store, CliVersion.release(), this::warn).run();
            int hours = new TelemetryArchive(log, store, CliVersion.release()).run(Instant.now());
            RetentionSummary deleted = new ArchiveRetention(store, limits).run(Instant.now());
            deleted.notes().forEach(this::warn);
            PrintWriter out = spec.commandLine().getOut();
            out.println("%d records in %d new segments (%d bytes) in %s%s%s%s"
                    .formatted(
                            summary.records(),
                            summary.segments(),
                            summary.bytes(),
                            store.location(),
                            states == 0 ? "" : ", %d new states".formatted(states),
                            hours == 0 ? "" : ", telemetry of %d hours".formatted(hours),
                            deleted.bytes() == 0
                                    ? ""
                                    : ", %d old segments and %d hours of telemetry deleted (%d bytes)"
                                            .formatted(deleted.segments(), deleted.hours(), deleted.bytes())));
            out.flush();
        }
    }

    private void warn(String message) {
        spec.commandLine().getErr().println("claimstream: " + message);
    }
}
