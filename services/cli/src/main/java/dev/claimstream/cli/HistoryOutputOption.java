package dev.claimstream.cli;

import dev.claimstream.cli.output.Terminal;
import dev.claimstream.cli.output.TextTable;
import dev.claimstream.history.store.ResultTable;
import dev.claimstream.history.store.ResultText;
import java.io.PrintWriter;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Options of the output of an answer. */
final class HistoryOutputOption {
    @Option(
            names = {"-o", "--output"},
            paramLabel = "FORMAT",
            description = "table, csv or json. Default: table. Times in csv and json are in UTC.")
    private String format = "table";

    @Option(names = "--utc", description = "Print times in UTC instead of in the local zone.")
    private boolean isUtc;

    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    @SuppressWarnings("NullAway.Init") // picocli sets the fields before it runs anything
    private HistoryOutputOption() {}

    /** Fails for an unknown format, before anything is asked. */
    void check() {
        if (!List.of("table", "csv", "json").contains(format)) {
            throw new ParameterException(spec.commandLine(), "--output %s: use table, csv or json".formatted(format));
        }
    }

    /** Prints an answer; notes of a table follow on standard error. */
    int print(ResultTable table) {
        PrintWriter out = spec.commandLine().getOut();
        switch (format) {
            case "csv" -> out.print(ResultText.csv(table));
            case "json" -> out.println(ResultText.objects(table));
            default -> printTable(table, out);
        }
        out.flush();
        return ExitCodes.SUCCESS;
    }

    private void printTable(ResultTable table, PrintWriter out) {
        if (!table.rows().isEmpty()) {
            var text = new TextTable(table.columns().toArray(String[]::new));
            table.rows().forEach(row -> text.add(row.stream().map(this::cell).toArray(String[]::new)));
            out.print(text.text(Terminal.width()));
            out.flush();
        }
        table.notes().forEach(spec.commandLine().getErr()::println);
    }

    private String cell(Optional<Object> cell) {
        return cell.map(value -> switch (value) {
                    case Instant time -> time(time);
                    case Double number -> String.format(Locale.ROOT, "%.3f", number);
                    default -> value.toString();
                })
                .filter(text -> !text.isEmpty())
                .orElse("-");
    }

    private String time(Instant time) {
        ZoneId zone = isUtc ? ZoneOffset.UTC : ZoneId.systemDefault();
        return time.atZone(zone).toOffsetDateTime().toString();
    }
}
