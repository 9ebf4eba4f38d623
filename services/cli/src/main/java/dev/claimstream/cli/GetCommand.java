package dev.claimstream.cli;

import dev.claimstream.cli.console.ClusterOption;
import dev.claimstream.cli.console.ConsoleClient;
import dev.claimstream.cli.console.ConsoleOption;
import dev.claimstream.cli.console.ListKind;
import dev.claimstream.cli.input.AssumedNodes;
import dev.claimstream.cli.input.JsonObject;
import dev.claimstream.cli.input.ManifestInputs;
import dev.claimstream.cli.output.GrowingColumns;
import dev.claimstream.cli.output.OutputFormat;
import dev.claimstream.cli.output.Terminal;
import dev.claimstream.cli.output.TextTable;
import dev.claimstream.console.DeviceFilter;
import dev.claimstream.console.ExpressionValidator;
import dev.claimstream.console.FileInventory;
import dev.claimstream.dra.FeatureGates;
import dev.claimstream.manifests.ReadOptions.WorkloadTreatment;
import dev.claimstream.manifests.tree.Tree;
import dev.claimstream.manifests.write.ManifestWriter;
import java.io.PrintWriter;
import java.time.InstantSource;
import java.util.ArrayList;
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
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Lists claims, devices, nodes or pools of a running {@code claimstream up}. */
@Command(
        name = "get",
        mixinStandardHelpOptions = true,
        header = "List claims, devices, nodes or pools of the running 'claimstream up'.",
        description = {
            "",
            "Claims are listed for one namespace: -n, else that of the context, else default; with -A for all namespaces.",
            "",
            "STATE has the words of kubectl: pending, allocated, reserved if the allocation has consumers, deleted"
                    + " while the claim is being deleted.",
            "PODS are the pods that use the claim, or the pod that is pending for it: the first, and how many more. REASON is why a claim"
                    + " has no devices, or why its status does not contain them.",
            ""
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:the list is printed, even if it is empty",
            "1:the named object does not exist, or the command failed"
        },
        footer = {
            "",
            "Examples:",
            "  claimstream get claims -A",
            "  kubectl claimstream get claims -n research",
            "  claimstream get claim research/too-big -o yaml",
            "  claimstream get devices --node gpu-l4-1 --free -o wide",
            "  claimstream get devices --free -f deploy/examples/mixed-accelerators"
        })
final class GetCommand implements Callable<Integer> {
    private static final String DEFAULT_NAMESPACE = "default";

    @Parameters(index = "0", paramLabel = "KIND", description = "claims, devices, nodes or pools.")
    private String kind;

    @Parameters(
            index = "1",
            arity = "0..1",
            paramLabel = "NAME",
            description =
                    "Only this object: a claim as NAME or NAMESPACE/NAME, a device as DEVICE or DRIVER/POOL/DEVICE, a"
                            + " pool as POOL or DRIVER/POOL.")
    private Optional<String> name = Optional.empty();

    @Option(
            names = {"-n", "--namespace"},
            paramLabel = "NS",
            description = "Claims of this namespace. Default: that of the context, else default.")
    private Optional<String> namespace = Optional.empty();

    @Option(
            names = {"-A", "--all-namespaces"},
            description = "Claims of all namespaces.")
    private boolean allNamespaces;

    @Option(names = "--node", paramLabel = "NODE", description = "Only objects of this node.")
    private Optional<String> node = Optional.empty();

    @Option(names = "--driver", paramLabel = "DRIVER", description = "Only objects of this driver.")
    private Optional<String> driver = Optional.empty();

    @Option(names = "--free", description = "Only devices that can be allocated now.")
    private boolean free;

    @Option(
            names = {"-o", "--output"},
            paramLabel = "FORMAT",
            defaultValue = "table",
            description = "table, wide, name, yaml or json; yaml and json print claims as Kubernetes objects.")
    private String output;

    @Option(
            names = {"-w", "--watch"},
            description = "Claims: then print a line for every change, until Ctrl-C.")
    private boolean watch;

    @Option(
            names = {"-f", "--filename"},
            paramLabel = "PATH",
            description = "Devices: those of the objects in a file, a directory or - for standard input, instead of a"
                    + " running claimstream. A device is allocated if the status of a claim names it.")
    private List<String> files = new ArrayList<>();

    @Option(
            names = {"-R", "--recursive"},
            description = "With -f: also read subdirectories.")
    private boolean recursive;

    @Mixin
    private ClusterOption cluster;

    @Mixin
    private ConsoleOption console;

    @Spec
    private CommandSpec spec;

    @SuppressWarnings("NullAway.Init") // picocli sets the fields before it runs anything
    private GetCommand() {}

    @Override
    public Integer call() {
        ListKind listKind = ListKind.of(kind)
                .orElseThrow(() -> wrong("%s cannot be listed: use claims, devices, nodes or pools".formatted(kind)));
        OutputFormat format = OutputFormat.of(output)
                .orElseThrow(
                        () -> wrong("--output %s is not known: use table, wide, name, yaml or json".formatted(output)));
        checkCombinations(listKind, format);
        if (!files.isEmpty()) {
            return printFiles(listKind, format);
        }
        ConsoleClient client = cluster.connect(console);
        if (watch) {
            return watchClaims(client, listKind, format);
        }
        List<JsonObject> items =
                client.items(path(listKind, isObjects(format) ? Optional.of("object") : Optional.empty()));
        if (items.isEmpty()) {
            return printEmpty(client, listKind, format);
        }
        print(listKind, format, items);
        return ExitCodes.SUCCESS;
    }

    private ParameterException wrong(String message) {
        return new ParameterException(spec.commandLine(), message);
    }

    /** Prints the devices of files. */
    private int printFiles(ListKind listKind, OutputFormat format) {
        PrintWriter err = spec.commandLine().getErr();
        ManifestInputs.CompletedManifests read = AssumedNodes.addTo(
                ManifestInputs.read(
                        files,
                        recursive,
                        WorkloadTreatment.IGNORED,
                        new ExpressionValidator(FeatureGates.all()),
                        System.in,
                        err),
                err);
        var filter = new DeviceFilter(
                name, node, driver, Optional.empty(), Optional.of("free").filter(_ -> free));
        List<JsonObject> devices = FileInventory.devices(read.listing().objects(), filter).stream()
                .map(JsonObject::new)
                .toList();
        if (devices.isEmpty() && name.isPresent()) {
            err.println("claimstream get: there is no device %s in the files".formatted(name.get()));
            return ExitCodes.FAILED;
        }
        if (devices.isEmpty() && !isObjects(format)) {
            err.println("No resources found");
        } else {
            print(listKind, format, devices);
        }
        return read.hasErrors() ? ExitCodes.FAILED : ExitCodes.SUCCESS;
    }

    private void checkCombinations(ListKind listKind, OutputFormat format) {
        if (!files.isEmpty() && listKind != ListKind.DEVICES) {
            throw wrong("-f is for devices; claimstream run PATH shows the claims of files");
        }
        if (!files.isEmpty() && console.isNamed()) {
            throw wrong("-f and a running claimstream (--data, --console) exclude each other: leave one out");
        }
        if (listKind != ListKind.CLAIMS && watch) {
            throw wrong("-w follows claims only");
        }
        if (watch && format != OutputFormat.TABLE && format != OutputFormat.WIDE && format != OutputFormat.NAME) {
            throw wrong("-w prints table, wide or name; claimstream watch -o json prints changes as JSON");
        }
        if (listKind != ListKind.DEVICES && free) {
            throw wrong("--free is for devices");
        }
        if (listKind == ListKind.NODES && node.isPresent()) {
            throw wrong("--node is not for nodes: name the node as NAME");
        }
    }

    private static boolean isObjects(OutputFormat format) {
        return format == OutputFormat.YAML || format == OutputFormat.JSON;
    }

    private String path(ListKind listKind, Optional<String> view) {
        SortedMap<String, String> parameters = new TreeMap<>();
        view.filter(_ -> listKind == ListKind.CLAIMS).ifPresent(each -> parameters.put("view", each));
        node.ifPresent(each -> parameters.put("node", each));
        driver.ifPresent(each -> parameters.put("driver", each));
        if (free) {
            parameters.put("state", "free");
        }
        addNames(listKind, parameters);
        return ConsoleClient.path(List.of("api", "v1", listKind.path()), parameters);
    }

    private void addNames(ListKind listKind, SortedMap<String, String> parameters) {
        plainName(listKind).ifPresent(each -> parameters.put("name", each));
        if (listKind == ListKind.CLAIMS && !allNamespaces) {
            parameters.put("namespace", chosenNamespace());
        }
    }

    private Optional<String> plainName(ListKind listKind) {
        return name.map(text -> listKind == ListKind.CLAIMS ? text.substring(text.indexOf('/') + 1) : text);
    }

    private String chosenNamespace() {
        return name.filter(text -> text.contains("/"))
                .map(text -> text.substring(0, text.indexOf('/')))
                .or(() -> namespace)
                .or(cluster::namespace)
                .orElse(DEFAULT_NAMESPACE);
    }

    private int printEmpty(ConsoleClient client, ListKind listKind, OutputFormat format) {
        PrintWriter err = spec.commandLine().getErr();
        if (name.isPresent()) {
            err.println("claimstream get: there is no %s %s"
                    .formatted(listKind.path().replaceFirst("s$", ""), shownName(listKind)));
            return ExitCodes.FAILED;
        }
        if (isObjects(format)) {
            print(listKind, format, List.of());
        } else if (listKind == ListKind.CLAIMS && !allNamespaces) {
            err.println("No resources found in %s namespace.".formatted(chosenNamespace()));
            int others = client.items("/api/v1/claims").size();
            if (others > 0 && namespace.isEmpty() && node.isEmpty() && driver.isEmpty()) {
                err.println(
                        "Other namespaces have %d: claimstream get claims -A%s".formatted(others, console.asOption()));
            }
        } else {
            err.println("No resources found");
        }
        return ExitCodes.SUCCESS;
    }

    private String shownName(ListKind listKind) {
        return listKind == ListKind.CLAIMS && !allNamespaces
                ? chosenNamespace() + "/" + plainName(listKind).orElse("")
                : name.orElse("");
    }

    private void print(ListKind listKind, OutputFormat format, List<JsonObject> items) {
        PrintWriter out = spec.commandLine().getOut();
        switch (format) {
            case TABLE -> out.print(table(listKind, items, false));
            case WIDE -> out.print(table(listKind, items, true));
            case NAME -> items.forEach(item -> out.println(listKind.name(item)));
            case YAML -> out.print(document(items).yaml());
            case JSON -> out.print(document(items).indentedJson());
        }
        out.flush();
    }

    /** Returns the output document. A single object that is selected by name is not wrapped in a list, as in kubectl. */
    private Tree document(List<JsonObject> items) {
        List<Tree> trees = items.stream().map(JsonObject::tree).toList();
        return name.isPresent() && trees.size() == 1 ? trees.getFirst() : ManifestWriter.list(trees);
    }

    private String table(ListKind listKind, List<JsonObject> items, boolean wide) {
        List<ListKind.Column> columns = columns(listKind, wide).stream()
                .filter(column -> !column.title().equals(ListKind.REMAINING)
                        || items.stream()
                                .anyMatch(item -> !column.cell().apply(item).equals("-")))
                .toList();
        var table = new TextTable(columns.stream().map(ListKind.Column::title).toArray(String[]::new));
        items.forEach(item -> table.add(
                columns.stream().map(column -> column.cell().apply(item)).toArray(String[]::new)));
        return table.text(Terminal.width());
    }

    private List<ListKind.Column> columns(ListKind listKind, boolean wide) {
        return listKind.columns(wide, allNamespaces, InstantSource.system());
    }

    /**
     * Prints the list and then each change.
     * The watch starts before the list, so that no change is missed in between.
     */
    private int watchClaims(ConsoleClient client, ListKind listKind, OutputFormat format) {
        PrintWriter out = spec.commandLine().getOut();
        SortedMap<String, String> parameters = new TreeMap<>();
        addNames(listKind, parameters);
        List<ListKind.Column> columns = columns(listKind, format == OutputFormat.WIDE);
        var lines =
                new GrowingColumns(columns.stream().map(ListKind.Column::title).toList(), Terminal.width());
        try (var changes = client.watch(ConsoleClient.path(List.of("api", "v1", "watch", "claims"), parameters))) {
            ConsoleClient.ListedClaims listed = client.claims(path(listKind, Optional.empty()));
            List<JsonObject> items = listed.items();
            items.forEach(item -> lines.grow(cells(columns, item)));
            if (format != OutputFormat.NAME) {
                out.println(lines.titleLine());
            }
            var printed = new PrintedClaims(listed.lastChange());
            items.forEach(item -> {
                out.println(line(listKind, format, columns, lines, item));
                printed.setCells(item, comparedCells(columns, item));
            });
            out.flush();
            if (items.isEmpty()) {
                spec.commandLine().getErr().println("claimstream get: no claims yet, waiting for changes");
                spec.commandLine().getErr().flush();
            }
            changes.forEach(change -> {
                if (printed.newCells(change, claim -> comparedCells(columns, claim))
                        .isPresent()) {
                    out.println(line(listKind, format, columns, lines, PrintedClaims.claim(change)));
                    out.flush();
                }
            });
        }
        spec.commandLine().getErr().println("claimstream get: the running claimstream has ended");
        return ExitCodes.FAILED;
    }

    /** Returns the cells that change with the claim and not only with time. */
    private static List<String> comparedCells(List<ListKind.Column> columns, JsonObject claim) {
        return columns.stream()
                .filter(column -> !column.title().equals(ListKind.AGE))
                .map(column -> column.cell().apply(claim))
                .toList();
    }

    private static List<String> cells(List<ListKind.Column> columns, JsonObject item) {
        return columns.stream().map(column -> column.cell().apply(item)).toList();
    }

    private static String line(
            ListKind listKind,
            OutputFormat format,
            List<ListKind.Column> columns,
            GrowingColumns lines,
            JsonObject item) {
        return format == OutputFormat.NAME ? listKind.name(item) : lines.row(cells(columns, item));
    }
}
