package dev.claimstream.cli;

import dev.claimstream.cli.console.ClusterOption;
import dev.claimstream.cli.console.ConsoleClient;
import dev.claimstream.cli.console.ConsoleOption;
import dev.claimstream.cli.input.JsonObject;
import dev.claimstream.cli.output.Age;
import dev.claimstream.cli.output.FoldedText;
import dev.claimstream.cli.output.Terminal;
import dev.claimstream.cli.output.TextTable;
import dev.claimstream.manifests.tree.Tree;
import java.io.PrintWriter;
import java.time.InstantSource;
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

/** Prints the pending items in queue order. */
@Command(
        name = "queue",
        mixinStandardHelpOptions = true,
        header = "List pending pods and claims in queue order, with the reason of each.",
        description = {
            "",
            "Higher priority comes first, then the older item. POSITION counts the items of all namespaces, AHEAD is the item"
                    + " directly before. SINCE is the time for which the item has been pending for this reason; RETRIES are the"
                    + " decisions on its claims after the first one, REJECTED those that the cluster rejected, both as far"
                    + " as the topics have them.",
            "",
            "Below the list are findings: claims that were allocated and rejected repeatedly, and classes of which no claim is"
                    + " allocated although claims have been pending for 10 minutes. With -n, items of other namespaces have no"
                    + " name.",
            ""
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:nothing is pending", "1:the command failed", "3:something is pending"},
        footer = {"", "Examples:", "  claimstream queue", "  claimstream queue -n training -o json"})
final class QueueCommand implements Callable<Integer> {
    private static final int ITEMS_SHOWN = 50;

    @Option(
            names = {"-n", "--namespace"},
            paramLabel = "NS",
            description = "Items of this namespace. Default: all namespaces.")
    private Optional<String> namespace = Optional.empty();

    @Option(names = "--all", description = "Print every item. Default: the first 50.")
    private boolean all;

    @Option(
            names = {"-o", "--output"},
            paramLabel = "FORMAT",
            defaultValue = "table",
            description = "table, or json with the whole messages.")
    private String output;

    @Mixin
    private ClusterOption cluster;

    @Mixin
    private ConsoleOption console;

    @Spec
    private CommandSpec spec;

    @SuppressWarnings("NullAway.Init") // picocli sets the fields before it runs anything
    private QueueCommand() {}

    @Override
    public Integer call() {
        if (!output.equals("table") && !output.equals("json")) {
            throw new ParameterException(
                    spec.commandLine(), "--output %s is not known: use table or json".formatted(output));
        }
        ConsoleClient client = cluster.connect(console);
        List<JsonObject> items = client.items(path("queue"));
        List<JsonObject> findings = client.items(path("queue", "findings"));
        PrintWriter out = spec.commandLine().getOut();
        if (output.equals("json")) {
            out.print(
                    Tree.mapping(fields -> fields.put("items", sequence(items)).put("findings", sequence(findings)))
                            .indentedJson());
        } else {
            print(items, findings, out);
        }
        out.flush();
        return items.isEmpty() ? ExitCodes.SUCCESS : ExitCodes.SOME_PENDING;
    }

    private static Tree sequence(List<JsonObject> objects) {
        return new Tree.Sequence(objects.stream().map(JsonObject::tree).toList());
    }

    private String path(String... last) {
        SortedMap<String, String> parameters = new TreeMap<>();
        namespace.ifPresent(each -> parameters.put("namespace", each));
        return ConsoleClient.path(
                last.length == 1 ? List.of("api", "v1", last[0]) : List.of("api", "v1", last[0], last[1]), parameters);
    }

    private void print(List<JsonObject> items, List<JsonObject> findings, PrintWriter out) {
        if (items.isEmpty()) {
            out.println("nothing is pending%s"
                    .formatted(namespace.map(each -> " in namespace " + each).orElse("")));
        } else {
            int shown = all ? items.size() : Math.min(ITEMS_SHOWN, items.size());
            out.print(table(items.subList(0, shown)).text(Terminal.width()));
            if (shown < items.size()) {
                out.println("the first %d of %d items; all of them: claimstream queue --all"
                        .formatted(shown, items.size()));
            }
        }
        findings.forEach(each -> out.print(FoldedText.of(
                "finding: %s, since %s (UTC): %s%n"
                        .formatted(each.text("subject"), each.text("since"), String.join("; ", each.texts("history"))),
                Terminal.width())));
    }

    private static TextTable table(List<JsonObject> items) {
        var table = new TextTable(
                "POSITION", "ITEM", "REASON", "SINCE", "RETRIES", "REJECTED", "PRIORITY", "AHEAD", "MESSAGE");
        items.forEach(item -> table.add(
                item.text("position"),
                "%s %s/%s"
                        .formatted(
                                item.text("kind").equals("Pod") ? "pod" : "claim",
                                item.text("namespace"),
                                item.text("name")),
                item.text("reason"),
                item.find("since")
                        .map(since -> Age.since(since, InstantSource.system()))
                        .orElse("-"),
                item.text("retries"),
                item.text("rejections"),
                item.text("priority"),
                item.cell("ahead"),
                item.text("message")));
        return table;
    }
}
