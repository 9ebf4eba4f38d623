package dev.claimstream.cli;

import dev.claimstream.history.CostWeights;
import dev.claimstream.history.store.AccessScope;
import dev.claimstream.history.store.HistoryReader;
import dev.claimstream.history.store.ResultTable;
import dev.claimstream.history.store.TimeWindow;
import dev.claimstream.history.store.UsageGroup;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Prints device hours. */
@Command(
        name = "usage",
        mixinStandardHelpOptions = true,
        header = "Print device hours by namespace, class, product, node or label of the pod.",
        description = {
            "",
            "DEVICE HOURS: hours in which devices are allocated; WEIGHTED HOURS: a share counts by its part of the device;"
                    + " USED HOURS: weighted by the measured utilization, where the history service has telemetry;"
                    + " IDLE DEVICE HOURS: published devices without a claim.",
            ""
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:answered", "1:a time is before the log, or the log cannot be read"},
        footer = {"", "Example: claimstream usage --by namespace --since 30d --weights gpu-large=2.5 -o csv"})
final class UsageCommand implements Callable<Integer> {
    @Option(
            names = "--by",
            paramLabel = "GROUP",
            description = "namespace, class, product, node or label:KEY. Default: namespace.")
    private String by = "namespace";

    @Option(
            names = "--since",
            paramLabel = "TIME",
            description =
                    "Begin: a time with its zone, or a duration before now like 30d. Default: the begin of the log.")
    private Optional<String> since = Optional.empty();

    @Option(names = "--until", paramLabel = "TIME", description = "End, as --since. Default: the last input.")
    private Optional<String> until = Optional.empty();

    @Option(
            names = "--weights",
            paramLabel = "CLASS=WEIGHT,...",
            description =
                    "Cost of a weighted hour by device class, instead of claimstream.history.cost-weights. Default: 1.")
    private String weights = "";

    @Mixin
    private HistoryOption history;

    @Mixin
    private HistoryOutputOption output;

    @Spec
    private CommandSpec spec;

    @SuppressWarnings("NullAway.Init") // picocli sets the fields before it runs anything
    private UsageCommand() {}

    @Override
    public Integer call() {
        output.check();
        UsageGroup group = UsageGroup.of(by);
        Map<String, Double> costs = CostWeights.parse(weights);
        var window = new TimeWindow(
                PastTime.of(spec.commandLine(), "--since", since), PastTime.of(spec.commandLine(), "--until", until));
        return output.print(history.withTelemetry().answer(new HistoryOption.HistoryQuestion() {
            @Override
            public ResultTable ask(HistoryClient client) {
                SortedMap<String, String> parameters = new TreeMap<>();
                parameters.put("by", by);
                parameters.put("weights", weights);
                window.since().ifPresent(each -> parameters.put("since", each.toString()));
                window.until().ifPresent(each -> parameters.put("until", each.toString()));
                return client.get("usage", parameters);
            }

            @Override
            public ResultTable ask(HistoryReader reader) {
                return reader.usage(group, window, costs, AccessScope.ADMINISTRATOR);
            }
        }));
    }
}
