package dev.claimstream.cli;

import dev.claimstream.allocation.cell.Comparison.ComparisonResult;
import dev.claimstream.cli.console.ClusterOption;
import dev.claimstream.cli.console.ConsoleClient;
import dev.claimstream.cli.console.ConsoleOption;
import dev.claimstream.cli.console.Differences;
import dev.claimstream.cli.input.JsonObject;
import dev.claimstream.cli.output.Terminal;
import java.io.PrintWriter;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Prints how the decisions of observe-only mode differ from the allocations by kube-scheduler. */
@Command(
        name = "differences",
        mixinStandardHelpOptions = true,
        header = "Compare Claimstream's decisions with kube-scheduler's allocations, in observe-only mode.",
        description = {
            "",
            "Prints one line per kind of difference, with the number of claims and how long they were pending, and then the"
                    + " claims that differ. It needs 'claimstream up --observe-only', or services with claimstream.observe-only=true."
                    + " The time starts with the creation of the pod, and is in whole seconds.",
            "",
            "  same                 same node, same devices",
            "  other-devices        same node, other devices",
            "  other-node           other node",
            "  only-kube-scheduler  kube-scheduler allocated the claim, Claimstream left it pending",
            "  only-claimstream     Claimstream decided an allocation, kube-scheduler left the claim pending",
            "  not-compared         kube-scheduler allocated the claim before Claimstream had evaluated it",
            "  both-pending         neither allocated the claim",
            ""
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:the comparison was printed", "1:the command failed"},
        footer = {
            "",
            "Examples:",
            "  claimstream differences",
            "  claimstream differences -n training --result other-node --all",
            "  claimstream differences -o json"
        })
final class DifferencesCommand implements Callable<Integer> {
    private static final int CLAIMS_SHOWN = 20;

    @Option(
            names = {"-n", "--namespace"},
            paramLabel = "NS",
            description = "Claims of this namespace. Default: all namespaces.")
    private Optional<String> namespace = Optional.empty();

    @Option(names = "--result", paramLabel = "RESULT", description = "Only claims with this result.")
    private Optional<String> result = Optional.empty();

    @Option(names = "--all", description = "Print every claim that differs. Default: the last 20.")
    private boolean all;

    @Option(
            names = {"-o", "--output"},
            paramLabel = "FORMAT",
            defaultValue = "table",
            description = "table, or json with the numbers and every compared claim.")
    private String output;

    @Mixin
    private ClusterOption cluster;

    @Mixin
    private ConsoleOption console;

    @Spec
    private CommandSpec spec;

    @SuppressWarnings("NullAway.Init") // picocli sets the fields before it runs anything
    private DifferencesCommand() {}

    @Override
    public Integer call() {
        checkOptions();
        ConsoleClient client = cluster.connect(console);
        SortedMap<String, String> parameters = new TreeMap<>();
        namespace.ifPresent(each -> parameters.put("namespace", each));
        result.ifPresent(each -> parameters.put("result", each));
        List<JsonObject> items = client.items(ConsoleClient.path(List.of("api", "v1", "comparisons"), parameters));
        var differences = new Differences(items);
        PrintWriter out = spec.commandLine().getOut();
        if (output.equals("json")) {
            out.print(differences.document().indentedJson());
        } else if (items.isEmpty()) {
            spec.commandLine()
                    .getErr()
                    .println("no claim was compared yet: claims are compared once kube-scheduler allocates them while"
                            + " Claimstream runs with --observe-only (claimstream.observe-only=true)");
        } else {
            out.print(differences.summary().text(Terminal.width()));
            printClaims(out, differences);
        }
        out.flush();
        return ExitCodes.SUCCESS;
    }

    /** Checks the options before the connection: a mistake is reported even if nothing runs. */
    private void checkOptions() {
        if (!output.equals("table") && !output.equals("json")) {
            throw wrong("--output %s is not known: use table or json".formatted(output));
        }
        List<String> known = Arrays.stream(ComparisonResult.values())
                .map(ComparisonResult::text)
                .toList();
        result.filter(each -> !known.contains(each)).ifPresent(each -> {
            throw wrong("--result %s is not known: use %s".formatted(each, String.join(", ", known)));
        });
    }

    private ParameterException wrong(String message) {
        return new ParameterException(spec.commandLine(), message);
    }

    private void printClaims(PrintWriter out, Differences differences) {
        List<JsonObject> differing = result.isPresent()
                ? differences.items()
                : differences.items().stream()
                        .filter(item -> !item.text("result").equals(ComparisonResult.SAME.text()))
                        .toList();
        if (differing.isEmpty()) {
            return;
        }
        int shown = all ? differing.size() : Math.min(CLAIMS_SHOWN, differing.size());
        out.println();
        out.print(Differences.table(differing.subList(differing.size() - shown, differing.size()))
                .text(Terminal.width()));
        if (shown < differing.size()) {
            out.println("the last %d of %d claims; all of them: claimstream differences --all"
                    .formatted(shown, differing.size()));
        }
    }
}
