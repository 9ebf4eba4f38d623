package dev.claimstream.cli;

import dev.claimstream.cli.console.ClusterOption;
import dev.claimstream.cli.console.ConsoleClient;
import dev.claimstream.cli.console.ConsoleOption;
import dev.claimstream.cli.console.ListKind;
import dev.claimstream.cli.input.JsonObject;
import dev.claimstream.cli.output.GrowingColumns;
import java.io.PrintWriter;
import java.time.LocalTime;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
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

/** Prints each change of claims. */
@Command(
        name = "watch",
        mixinStandardHelpOptions = true,
        header = "Print a line for every change of a claim of the running 'claimstream up', until Ctrl-C.",
        description = {"", "Claims of all namespaces, unless -n names one. Only changes from now on.", ""},
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"1:claimstream is not running, or has ended"})
final class WatchCommand implements Callable<Integer> {
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("HH:mm:ss", Locale.ROOT);
    private static final int NAMES_MAX = 2;

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
        var columns = new GrowingColumns();
        try (var changes = cluster.connect(console)
                .watch(ConsoleClient.path(List.of("api", "v1", "watch", "claims"), parameters))) {
            changes.forEach(change -> {
                out.println(output.equals("json") ? change.tree().json() : columns.line(cells(change)));
                out.flush();
            });
        }
        spec.commandLine().getErr().println("claimstream watch: the running claimstream has ended");
        return ExitCodes.FAILED;
    }

    private static List<String> cells(JsonObject change) {
        JsonObject claim = change.item("claim");
        boolean isDeleted = change.text("type").equals("DELETED");
        String what = claim.find("message").orElseGet(() -> ListKind.devices(claim, NAMES_MAX));
        return List.of(
                LocalTime.now(java.time.ZoneId.systemDefault()).format(TIME),
                claim.text("namespace") + "/" + claim.text("name"),
                isDeleted ? "deleted" : claim.text("state"),
                isDeleted ? "-" : claim.cell("node"),
                isDeleted ? "-" : what + (claim.text("committed").equals("true") ? " (committed)" : ""));
    }
}
