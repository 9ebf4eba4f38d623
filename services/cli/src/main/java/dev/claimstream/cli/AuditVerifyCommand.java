package dev.claimstream.cli;

import dev.claimstream.audit.ArchiveLog;
import dev.claimstream.audit.AuditKeys;
import dev.claimstream.audit.AuditLog;
import dev.claimstream.audit.Checkpoint;
import dev.claimstream.audit.Checkpoints;
import dev.claimstream.audit.Finding;
import dev.claimstream.audit.JoinedLog;
import dev.claimstream.audit.LogVerifier;
import dev.claimstream.audit.LogVerifier.LedgerSummary;
import dev.claimstream.audit.LogVerifier.Report;
import dev.claimstream.audit.streams.LogReplay;
import dev.claimstream.audit.streams.LogReplay.ReplayReport;
import dev.claimstream.cli.output.ReplayText;
import dev.claimstream.cli.output.RunFailure;
import dev.claimstream.selectors.CelSelectors;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.security.PublicKey;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Verifies the hash chains of the ledger. */
@Command(
        name = "verify",
        mixinStandardHelpOptions = true,
        header = "Verify that no event of the ledger was changed, deleted, inserted or moved.",
        description = {
            "",
            "Computes the hash chain of each cell again from the bytes of ledger.v1, and compares each event with the"
                    + " input in cells.in that it names. Prints one line per finding with its position. Events that are"
                    + " deleted at the end of a ledger leave no trace in it: compare with an archive or a checkpoint. Of an archive"
                    + " alone, the last lines name the position up to which it is evidence."
                    + " Of an erased event (audit erase) only the place in the chain is verified.",
            ""
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:the log is intact",
            "1:the log cannot be read",
            "3:there is a finding, or a ledger cannot be compared with the checkpoint"
        },
        footer = {"", "Example: claimstream audit verify --from 2026-03-01T00:00:00Z"})
final class AuditVerifyCommand implements Callable<Integer> {
    @Mixin
    private RecordedLogOption source;

    @Mixin
    private TimeRangeOption range;

    @Option(
            names = "--checkpoint",
            paramLabel = "FILE",
            description =
                    "Also compare the ledgers with this checkpoint. A line \"not compared\" names each cell whose events up"
                            + " to the checkpoint are deleted. Needs --key.")
    private Optional<Path> checkpoint = Optional.empty();

    @Option(
            names = "--key",
            paramLabel = "PUB",
            description =
                    "PEM file with the public key of the checkpoint. Without --checkpoint, the ledgers are compared with"
                            + " the last checkpoint that is published in --archive.")
    private Optional<Path> key = Optional.empty();

    @Option(
            names = "--replay",
            description =
                    "Also decide the recorded inputs again, as replay does, and compare events and state hashes. A"
                            + " difference is a finding.")
    private boolean replays;

    @Spec
    private CommandSpec spec;

    @SuppressWarnings("NullAway.Init") // picocli sets the fields before it runs anything
    private AuditVerifyCommand() {}

    @Override
    public Integer call() {
        LogVerifier.TimeRange selected = range.range();
        Optional<Checkpoint> named = checkpoint.map(this::checkedCheckpoint);
        Optional<ArchiveLog> archived = source.archive();
        List<String> problems = new ArrayList<>();
        Optional<Checkpoint> known =
                named.or(() -> key.flatMap(signer -> archived.map(each -> published(each, signer, problems))));
        archived.map(ArchiveLog::problems).ifPresent(problems::addAll);
        try (AuditLog log = archived.map(source::openWith).orElseGet(source::open)) {
            if (log instanceof JoinedLog joined) {
                joined.differences().forEach(each -> problems.add(each.text()));
            }
            List<String> notCompared = new ArrayList<>();
            known.map(each -> Checkpoints.compare(log, each)).ifPresent(comparison -> {
                comparison.findings().forEach(finding -> problems.add(finding.text()));
                notCompared.addAll(comparison.notCompared());
            });
            List<String> replayed = replays ? replay(log, selected, problems) : List.of();
            List<String> notes = new ArrayList<>(replayed);
            if (log instanceof ArchiveLog archive && known.isEmpty()) {
                notes.addAll(limits(archive));
            }
            return print(log, selected, problems, notCompared, notes);
        }
    }

    /** Returns a line per cell and of the router, and adds the first divergence to the problems. */
    private static List<String> replay(AuditLog log, LogVerifier.TimeRange selected, List<String> problems) {
        ReplayReport report = new LogReplay(log, new CelSelectors(), selected).run();
        report.divergence().ifPresent(each -> problems.add(ReplayText.line(each)));
        return Stream.concat(
                        report.cells().stream().map(ReplayText::line).map("replay of "::concat),
                        report.notReplayed().stream())
                .toList();
    }

    /** What an archive alone cannot show: its newest segments may be missing. */
    private static List<String> limits(ArchiveLog archive) {
        List<String> lines = new ArrayList<>(archive.ends());
        lines.add(archive.lastCheckpoint(_ -> true, _ -> {})
                .map(each -> "its last checkpoint, of %s, is not compared: name its public key with --key"
                        .formatted(each.time()))
                .orElse("later segments could be missing: compare with the topics (--data, --bootstrap), or with a"
                        + " checkpoint that is kept elsewhere (--checkpoint)"));
        return lines;
    }

    private Checkpoint checkedCheckpoint(Path file) {
        Path signer = key.orElseThrow(() -> new ParameterException(
                spec.commandLine(), "--checkpoint needs --key: name the file of the public key"));
        return checked(AuditFiles.read(file, "checkpoint", Checkpoint::of), file.toString(), signer);
    }

    /** Returns the last authentic checkpoint of the archive, and adds later forged files to the problems. */
    private static Checkpoint published(ArchiveLog archive, Path signer, List<String> problems) {
        PublicKey signerKey = AuditKeys.publicKey(signer);
        List<String> passed = new ArrayList<>();
        Optional<Checkpoint> last = archive.lastCheckpoint(each -> each.isSignedBy(signerKey), passed::add);
        passed.forEach(each -> problems.add("forged checkpoint: %s. Keep a copy as evidence.".formatted(each)));
        return last.orElseThrow(() -> new RunFailure(
                "%s has no checkpoint%s: name one with --checkpoint, or publish one with claimstream audit checkpoint --publish"
                        .formatted(
                                archive.location(),
                                passed.isEmpty() ? "" : " that is signed by the key of " + signer)));
    }

    private static Checkpoint checked(Checkpoint read, String name, Path signer) {
        PublicKey signerKey = AuditKeys.publicKey(signer);
        if (!read.isSignedBy(signerKey)) {
            throw new RunFailure(
                    "%s is not signed by the key of %s: name the checkpoint or the key that belong together"
                            .formatted(name, signer));
        }
        return read;
    }

    private int print(
            AuditLog log,
            LogVerifier.TimeRange selected,
            List<String> problems,
            List<String> notCompared,
            List<String> notes) {
        Report report = LogVerifier.verify(log, selected);
        if (report.ledgers().isEmpty()) {
            throw new RunFailure(
                    "%s has no topic %s: name the Kafka of Claimstream".formatted(log.location(), LogVerifier.LEDGER));
        }
        List<String> findings = Stream.concat(
                        problems.stream(), report.findings().stream().map(Finding::text))
                .toList();
        PrintWriter out = spec.commandLine().getOut();
        findings.forEach(out::println);
        notCompared.forEach(out::println);
        out.println(summary(report, findings.size(), notCompared.size()));
        report.ledgers().forEach(each -> out.println("  " + line(each)));
        notes.forEach(each -> out.println("  " + each));
        out.flush();
        return findings.isEmpty() && notCompared.isEmpty() ? ExitCodes.SUCCESS : ExitCodes.NOT_INTACT;
    }

    private static String summary(Report report, int findings, int notCompared) {
        int ledgers = report.ledgers().size();
        return "%d events of %d ledger%s verified, %s%s"
                .formatted(
                        report.events(),
                        ledgers,
                        ledgers == 1 ? "" : "s",
                        findings == 0 ? "no finding" : findings + (findings == 1 ? " finding" : " findings"),
                        notCompared == 0 ? "" : ", %d not compared with the checkpoint".formatted(notCompared));
    }

    private static String line(LedgerSummary ledger) {
        String begin = ledger.isComplete()
                ? "from the first event"
                : "from offset %d, the events before it are not verified".formatted(ledger.begin());
        return "cell %d: %d events %s, %d compared with their inputs, %schain head %s%s"
                .formatted(
                        ledger.cell(),
                        ledger.events(),
                        begin,
                        ledger.compared(),
                        ledger.erased() == 0 ? "" : "%d erased, ".formatted(ledger.erased()),
                        Optional.of(ledger.head())
                                .filter(each -> !each.isEmpty())
                                .orElse("none"),
                        ledger.last().map(time -> " at " + time).orElse(""));
    }
}
