package dev.claimstream.cli;

import dev.claimstream.allocation.cell.CellSettings;
import dev.claimstream.allocator.EngineFingerprint;
import dev.claimstream.audit.AuditLog;
import dev.claimstream.audit.LogVerifier;
import dev.claimstream.audit.streams.CandidateReplay;
import dev.claimstream.audit.streams.CandidateReport;
import dev.claimstream.audit.streams.Divergence;
import dev.claimstream.audit.streams.LogReplay;
import dev.claimstream.audit.streams.LogReplay.ReplayReport;
import dev.claimstream.cli.output.CandidateReportText;
import dev.claimstream.cli.output.ReplayText;
import dev.claimstream.cli.output.RunFailure;
import dev.claimstream.cli.output.Terminal;
import dev.claimstream.selectors.CelSelectors;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.function.UnaryOperator;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Replays the recorded inputs and compares the result with the ledger. */
@Command(
        name = "replay",
        mixinStandardHelpOptions = true,
        header = "Decide all recorded inputs again, and compare each event with the ledger.",
        description = {
            "",
            "Runs the cells over cells.in, and the router of several cells over router.in, without writing anything, from the"
                    + " beginning of the inputs or from the first rebuild. Compares decisions, alarms, state hashes and the hash chain, and stops at the first"
                    + " divergence: another event, a changed hash, a broken link, or an event without its input."
                    + " Prints the input, both results, and the state before the input: the claims, nodes and devices"
                    + " that the results name."
                    + " Equality is expected of the engine that recorded the events; another release may"
                    + " decide otherwise.",
            "With --policy, --features, --kubernetes, --settings or --compare, compares placements instead: claims that are"
                    + " placed elsewhere, pending times, and the use and fragmentation of the devices over time. The"
                    + " candidate decides from --from on, its decisions are committed at once, and pods end as recorded."
                    + " A free device is fragmented if another device of its node is allocated. Exit code 0, also with"
                    + " differences.",
            ""
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:the replay equals the ledger",
            "1:the log cannot be read, or lacks the first inputs",
            "3:the replay differs from the ledger"
        },
        footer = {
            "",
            "Example: claimstream replay --archive /var/lib/claimstream-archive",
            "         claimstream replay --policy first-fit -o json"
        })
final class ReplayCommand implements Callable<Integer> {
    private static final int INPUT_CHARACTERS_MAX = 2000;

    @Mixin
    private RecordedLogOption source;

    @Mixin
    private TimeRangeOption range;

    @Mixin
    private CandidateOptions candidate;

    @Option(
            names = {"-o", "--output"},
            paramLabel = "FORMAT",
            defaultValue = "table",
            description = "Format of the result: table or json. Default: ${DEFAULT-VALUE}.")
    private String output;

    @Spec
    private CommandSpec spec;

    @SuppressWarnings("NullAway.Init") // picocli sets the fields before it runs anything
    private ReplayCommand() {}

    @Override
    public Integer call() {
        LogVerifier.TimeRange selected = range.range();
        Optional<UnaryOperator<CellSettings>> change = candidate.change();
        if (!output.equals("table") && !output.equals("json")) {
            throw new ParameterException(
                    spec.commandLine(), "--output %s is not known: use table or json".formatted(output));
        }
        try (AuditLog log = source.open()) {
            return change.map(each -> compare(log, selected, each)).orElseGet(() -> replay(log, selected));
        }
    }

    private int compare(AuditLog log, LogVerifier.TimeRange selected, UnaryOperator<CellSettings> change) {
        CandidateReport report = new CandidateReplay(log, new CelSelectors(), selected, change).run();
        PrintWriter out = spec.commandLine().getOut();
        out.print(
                output.equals("json")
                        ? CandidateReportText.json(report)
                        : CandidateReportText.tables(report, Terminal.width()));
        out.flush();
        return ExitCodes.SUCCESS;
    }

    private int replay(AuditLog log, LogVerifier.TimeRange selected) {
        long begin = System.nanoTime();
        ReplayReport report = new LogReplay(log, new CelSelectors(), selected).run();
        var duration = Duration.ofNanos(System.nanoTime() - begin);
        if (report.cells().isEmpty()) {
            throw new RunFailure("%s has no inputs: name the Kafka of Claimstream, or an archive with --archive"
                    .formatted(log.location()));
        }
        warnAboutEngines(report);
        PrintWriter out = spec.commandLine().getOut();
        if (output.equals("json")) {
            out.print(ReplayText.json(report));
        } else {
            report.divergence().ifPresent(each -> print(each, out));
            out.println(summary(report, duration));
            report.cells().forEach(each -> out.println("  " + ReplayText.line(each)));
            report.notReplayed().forEach(each -> out.println("  " + each));
        }
        out.flush();
        return report.divergence().isEmpty() ? ExitCodes.SUCCESS : ExitCodes.NOT_INTACT;
    }

    private void warnAboutEngines(ReplayReport report) {
        SortedSet<String> engines = new TreeSet<>();
        report.cells().forEach(each -> engines.addAll(each.engines()));
        engines.remove(EngineFingerprint.hash());
        if (!engines.isEmpty()) {
            spec.commandLine()
                    .getErr()
                    .println(
                            "claimstream replay: recorded by engine %s, replayed by engine %s, which may decide otherwise"
                                    .formatted(String.join(", ", engines), EngineFingerprint.hash()));
        }
    }

    private static void print(Divergence divergence, PrintWriter out) {
        out.println(
                "divergence: %s at %s: %s".formatted(divergence.location(), divergence.at(), divergence.inputText()));
        divergence.cause().ifPresent(each -> out.println("  cause:  " + each));
        print("ledger", divergence.recorded(), out);
        print("replay", divergence.replayed(), out);
        divergence.state().forEach(each -> out.println("  state:  " + each));
        divergence
                .input()
                .ifPresent(input -> out.println("  input:  "
                        + (input.length() > INPUT_CHARACTERS_MAX
                                ? input.substring(0, INPUT_CHARACTERS_MAX) + " …"
                                : input)));
    }

    private static void print(String title, List<String> events, PrintWriter out) {
        (events.isEmpty() ? List.of("no event") : events)
                .forEach(each -> out.println("  %s: %s".formatted(title, each)));
    }

    private static String summary(ReplayReport report, Duration duration) {
        double seconds = Math.max(1, duration.toMillis()) / 1000.0;
        long cells = report.cells().stream()
                .filter(each -> each.topic().equals(LogVerifier.INPUTS))
                .count();
        return String.format(
                Locale.ROOT,
                "%d inputs of %d cell%s%s replayed in %.1f s (%.0f inputs/s), %s",
                report.inputs(),
                cells,
                cells == 1 ? "" : "s",
                report.cells().size() > cells ? " and the router" : "",
                seconds,
                report.inputs() / seconds,
                report.divergence().isEmpty() ? "no divergence" : "stopped at a divergence");
    }
}
