package dev.claimstream.cli;

import dev.claimstream.history.store.AccessScope;
import dev.claimstream.history.store.HistoryKind;
import dev.claimstream.history.store.HistoryReader;
import dev.claimstream.history.store.ResultTable;
import dev.claimstream.history.store.TimeWindow;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Prints the past of an object. */
@Command(
        name = "history",
        mixinStandardHelpOptions = true,
        header = "Print the past allocations and pending periods of a claim, pod, device, node, namespace or class.",
        description = {""},
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:answered", "1:the device is unknown, a time is before the log, or the log cannot be read"},
        footer = {"", "Example: claimstream history claim research/notebook --since 24h"})
final class HistoryCommand implements Callable<Integer> {
    @Parameters(index = "0", paramLabel = "KIND", description = "claim, pod, device, node, namespace or class.")
    private String kind = "";

    @Parameters(
            index = "1",
            paramLabel = "NAME",
            description =
                    "Name; of a claim or pod also NAMESPACE/NAME, of a device driver/pool/device or its last parts.")
    private String name = "";

    @Option(
            names = "--since",
            paramLabel = "TIME",
            description =
                    "Begin: a time with its zone, or a duration before now like 24h. Default: the begin of the log.")
    private Optional<String> since = Optional.empty();

    @Option(names = "--until", paramLabel = "TIME", description = "End, as --since. Default: the last input.")
    private Optional<String> until = Optional.empty();

    @Mixin
    private HistoryOption history;

    @Mixin
    private HistoryOutputOption output;

    @Spec
    private CommandSpec spec;

    @SuppressWarnings("NullAway.Init") // picocli sets the fields before it runs anything
    private HistoryCommand() {}

    @Override
    public Integer call() {
        output.check();
        HistoryKind of = HistoryKind.of(kind)
                .orElseThrow(() -> new ParameterException(
                        spec.commandLine(),
                        "there is no history of a %s: use claim, pod, device, node, namespace or class"
                                .formatted(kind)));
        var window = new TimeWindow(
                PastTime.of(spec.commandLine(), "--since", since), PastTime.of(spec.commandLine(), "--until", until));
        return output.print(history.answer(new HistoryOption.HistoryQuestion() {
            @Override
            public ResultTable ask(HistoryClient client) {
                SortedMap<String, String> parameters = new TreeMap<>();
                parameters.put("kind", of.text());
                parameters.put("name", name);
                window.since().ifPresent(each -> parameters.put("since", each.toString()));
                window.until().ifPresent(each -> parameters.put("until", each.toString()));
                return client.get("history", parameters);
            }

            @Override
            public ResultTable ask(HistoryReader reader) {
                return reader.history(of, name, window, AccessScope.ADMINISTRATOR);
            }
        }));
    }
}
