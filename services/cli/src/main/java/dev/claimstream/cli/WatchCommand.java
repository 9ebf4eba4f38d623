package dev.claimstream.cli;

import dev.claimstream.cli.console.ClusterOption;
import dev.claimstream.cli.console.ConsoleClient;
import dev.claimstream.cli.console.ConsoleOption;
import dev.claimstream.cli.console.ListKind;
import dev.claimstream.cli.input.JsonObject;
import dev.claimstream.cli.output.GrowingColumns;
import dev.claimstream.cli.output.Terminal;
import java.io.PrintWriter;
import java.time.LocalTime;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Prints each change of claims. */
@Command(
        name = "watch",
        mixinStandardHelpOptions = true,
        header = "Print a line for every change of a claim of the running 'claimstream up', until Ctrl-C.",
        description = {
            "",
            "Claims of all namespaces, unless -n names one. Only changes from now on. A new claim is pending and"
                    + " 'not yet processed' until the first decision on it, usually for milliseconds.",
            "A claim in deletion has a reason or devices after the state 'deleted', unless it was never processed. A claim"
                    + " that no longer exists has only '-'.",
            ""
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"1:claimstream is not running, or has ended"})
final class WatchCommand implements Callable<Integer> {
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("HH:mm:ss", Locale.ROOT);
    private static final int NAMES_MAX = 2;

    /** The columns of time, claim, state, node, and message or devices. */
    private static final List<String> UNTITLED = List.of("", "", "", "", "");

    @Option(
            names = {"-n", "--namespace"},
            paramLabel = "NS",
            description = "Claims of this namespace.")
    private Optional<String> namespace = Optional.empty();

    @Option(
            names = {"-A", "--all-namespaces"},
            description = "Claims of all namespaces, the default without -n.")
    private boolean allNamespaces;

    @Option(
            names = {"-o", "--output"},
            paramLabel = "FORMAT",
            defaultValue = "text",
            description = "text, or json with one object per line.")
    private String output;

    @Mixin
    private ClusterOption cluster;

    @Mixin
    private ConsoleOption console;

    @Spec
    private CommandSpec spec;

    @SuppressWarnings("NullAway.Init") // picocli sets the fields before it runs anything
    private WatchCommand() {}

    @Override
    public Integer call() {
        if (!output.equals("text") && !output.equals("json")) {
            throw new ParameterException(
                    spec.commandLine(), "--output %s is not known: use text or json".formatted(output));
        }
        if (allNamespaces && namespace.isPresent()) {
            throw new ParameterException(spec.commandLine(), "-A and -n exclude each other: leave one out");
        }
        PrintWriter out = spec.commandLine().getOut();
        SortedMap<String, String> parameters = new TreeMap<>();
        namespace.ifPresent(each -> parameters.put("namespace", each));
        ConsoleClient client = cluster.connect(console);
        // the watch starts before the list, so that no change is missed in between
        try (var changes = client.watch(ConsoleClient.path(List.of("api", "v1", "watch", "claims"), parameters))) {
            ConsoleClient.ListedClaims listed =
                    client.claims(ConsoleClient.path(List.of("api", "v1", "claims"), parameters));
            var printed = new PrintedClaims(listed.lastChange());
            listed.items().forEach(each -> printed.setCells(each, cells(each)));
            spec.commandLine().getErr().println(waitText(listed.items().size()));
            spec.commandLine().getErr().flush();
            print(changes, printed, out);
        }
        spec.commandLine().getErr().println("claimstream watch: the running claimstream has ended");
        return ExitCodes.FAILED;
    }

    private String waitText(int claims) {
        return "claimstream watch: waiting for changes; %s has %d %s now"
                .formatted(
                        namespace.map(each -> "namespace " + each).orElse("the cluster"),
                        claims,
                        claims == 1 ? "claim" : "claims");
    }

    /** Prints a line per change. Without JSON, a change of a field that no column shows is none. */
    private void print(ConsoleClient.Lines changes, PrintedClaims printed, PrintWriter out) {
        var columns = new GrowingColumns(UNTITLED, Terminal.width());
        changes.forEach(change -> {
            if (output.equals("json")) {
                out.println(change.tree().json());
            } else {
                printed.newCells(change, WatchCommand::cells)
                        .ifPresent(cells -> out.println(columns.row(timed(cells))));
            }
            out.flush();
        });
    }

    private static List<String> timed(List<String> cells) {
        return Stream.concat(
                        Stream.of(
                                LocalTime.now(java.time.ZoneId.systemDefault()).format(TIME)),
                        cells.stream())
                .toList();
    }

    private static List<String> cells(JsonObject claim) {
        boolean isRemoved = PrintedClaims.isRemoved(claim);
        String what = claim.find("message").orElseGet(() -> ListKind.devices(claim, NAMES_MAX));
        return List.of(
                claim.text("namespace") + "/" + claim.text("name"),
                claim.text("state"),
                isRemoved ? "-" : claim.cell("node"),
                isRemoved ? "-" : what + (isCommitted(claim) ? " (committed)" : ""));
    }

    /**
     * Returns whether the last decision is or was in the status of the claim.
     * When the pod of a claim ends, the cluster clears the status. That does not undo the commit.
     */
    private static boolean isCommitted(JsonObject claim) {
        return claim.text("committed").equals("true") || claim.text("outcome").equals("committed");
    }
}
