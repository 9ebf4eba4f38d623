package dev.claimstream.cli;

import dev.claimstream.audit.ArchiveLog;
import dev.claimstream.audit.AuditLog;
import dev.claimstream.audit.Finding;
import dev.claimstream.audit.JoinedLog;
import dev.claimstream.audit.LogVerifier;
import dev.claimstream.audit.LogVerifier.LedgerSummary;
import dev.claimstream.audit.LogVerifier.Report;
import dev.claimstream.cli.output.RunFailure;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
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
                    + " deleted at the end of a ledger leave no trace in it: compare with an archive.",
            ""
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:the log is intact", "1:the log cannot be read", "3:there is a finding"},
        footer = {"", "Example: claimstream audit verify --from 2026-03-01T00:00:00Z"})
final class AuditVerifyCommand implements Callable<Integer> {
    @Mixin
    private LogSourceOption source;

    @Mixin
    private TimeRangeOption range;

    @Option(
            names = "--archive",
            paramLabel = "DIR",
            description = "Verify this archive, without topics. With --data or --bootstrap, verify the archive and the"
                    + " topics after it, and compare the records that both have.")
    private Optional<Path> archive = Optional.empty();

    @Spec
    private CommandSpec spec;

    @SuppressWarnings("NullAway.Init") // picocli sets the fields before it runs anything
    private AuditVerifyCommand() {}

    @Override
    public Integer call() {
        LogVerifier.TimeRange selected = range.range();
        return archive.map(folder -> verify(new ArchiveLog(folder), selected)).orElseGet(() -> {
            try (AuditLog topics = source.open()) {
                return print(topics, selected, List.of());
            }
        });
    }

    private int verify(ArchiveLog archived, LogVerifier.TimeRange selected) {
        List<String> problems = archived.problems();
        if (!source.isNamed()) {
            return print(archived, selected, problems);
        }
        try (var joined = new JoinedLog(archived, source.open())) {
            return print(
                    joined,
                    selected,
                    Stream.concat(problems.stream(), joined.differences().stream().map(Finding::text))
                            .toList());
        }
    }

    private int print(AuditLog log, LogVerifier.TimeRange selected, List<String> problems) {
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
        out.println(summary(report, findings.size()));
        report.ledgers().forEach(each -> out.println("  " + line(each)));
        out.flush();
        return findings.isEmpty() ? ExitCodes.SUCCESS : ExitCodes.NOT_INTACT;
    }

    private static String summary(Report report, int findings) {
        int ledgers = report.ledgers().size();
        return "%d events of %d ledger%s verified, %s"
                .formatted(
                        report.events(),
                        ledgers,
                        ledgers == 1 ? "" : "s",
                        findings == 0 ? "no finding" : findings + (findings == 1 ? " finding" : " findings"));
    }

    private static String line(LedgerSummary ledger) {
        String begin = ledger.isComplete()
                ? "from the first event"
                : "from offset %d, the events before it are not verified".formatted(ledger.begin());
        return "cell %d: %d events %s, %d compared with their inputs, chain head %s%s"
                .formatted(
                        ledger.cell(),
                        ledger.events(),
                        begin,
                        ledger.compared(),
                        Optional.of(ledger.head())
                                .filter(each -> !each.isEmpty())
                                .orElse("none"),
                        ledger.last().map(time -> " at " + time).orElse(""));
    }
}
