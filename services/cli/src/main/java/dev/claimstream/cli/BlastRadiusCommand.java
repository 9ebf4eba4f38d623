package dev.claimstream.cli;

import dev.claimstream.history.store.AccessScope;
import dev.claimstream.history.store.HistoryReader;
import dev.claimstream.history.store.ResultTable;
import java.time.Instant;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Prints the claims that a fault of a device or node affects. */
@Command(
        name = "blast-radius",
        mixinStandardHelpOptions = true,
        header = "Print the claims and pods that a fault of a device or node affects.",
        description = {
            "",
            "By default the claims with devices at the last input; with --since all claims with a device since then.",
            ""
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:answered", "1:the device or node is unknown, or the log cannot be read"},
        footer = {"", "Example: claimstream blast-radius node-1 --since 2h"})
final class BlastRadiusCommand implements Callable<Integer> {
    @Parameters(paramLabel = "DEVICE|NODE", description = "Name of a node; or driver/pool/device or its last parts.")
    private String target = "";

    @Option(
            names = "--since",
            paramLabel = "TIME",
            description = "Begin: a time with its zone, or a duration before now like 2h.")
    private Optional<String> since = Optional.empty();

    @Mixin
    private HistoryOption history;

    @Mixin
    private HistoryOutputOption output;

    @Spec
    private CommandSpec spec;

    @SuppressWarnings("NullAway.Init") // picocli sets the fields before it runs anything
    private BlastRadiusCommand() {}

    @Override
    public Integer call() {
        output.check();
        Optional<Instant> begin = PastTime.of(spec.commandLine(), "--since", since);
        return output.print(history.answer(new HistoryOption.HistoryQuestion() {
            @Override
            public ResultTable ask(HistoryClient client) {
                SortedMap<String, String> parameters = new TreeMap<>();
                parameters.put("target", target);
                begin.ifPresent(each -> parameters.put("since", each.toString()));
                return client.get("blast-radius", parameters);
            }

            @Override
            public ResultTable ask(HistoryReader reader) {
                return reader.blastRadius(target, begin, AccessScope.ADMINISTRATOR);
            }
        }));
    }
}
