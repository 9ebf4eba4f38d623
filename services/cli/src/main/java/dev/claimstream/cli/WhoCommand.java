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

/** Prints the claims that a device is or was allocated to, and their pods. */
@Command(
        name = "who",
        mixinStandardHelpOptions = true,
        header = "Print the claims that a device is or was allocated to, and their pods.",
        description = {
            "",
            "The table shows the state after the last input at or before the time, with the times of allocation, commit"
                    + " and release. It comes from a history service, or from the log itself.",
            ""
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:answered", "1:the device is unknown, the time is before the log, or the log cannot be read"},
        footer = {"", "Example: claimstream who node-1/gpu-0 --at 2026-03-01T12:00:00Z"})
final class WhoCommand implements Callable<Integer> {
    @Parameters(paramLabel = "DEVICE", description = "driver/pool/device, or its last parts: pool/device or device.")
    private String device = "";

    @Option(
            names = "--at",
            paramLabel = "TIME",
            description = "Time with its zone, or a duration before now like 2h. Default: the last input.")
    private Optional<String> at = Optional.empty();

    @Mixin
    private HistoryOption history;

    @Mixin
    private HistoryOutputOption output;

    @Spec
    private CommandSpec spec;

    @SuppressWarnings("NullAway.Init") // picocli sets the fields before it runs anything
    private WhoCommand() {}

    @Override
    public Integer call() {
        output.check();
        Optional<Instant> time = PastTime.of(spec.commandLine(), "--at", at);
        return output.print(history.answer(new HistoryOption.HistoryQuestion() {
            @Override
            public ResultTable ask(HistoryClient client) {
                SortedMap<String, String> parameters = new TreeMap<>();
                parameters.put("device", device);
                time.ifPresent(each -> parameters.put("at", each.toString()));
                return client.get("who", parameters);
            }

            @Override
            public ResultTable ask(HistoryReader reader) {
                return reader.who(device, time, AccessScope.ADMINISTRATOR);
            }
        }));
    }
}
