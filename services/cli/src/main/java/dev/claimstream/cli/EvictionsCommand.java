package dev.claimstream.cli;

import dev.claimstream.cli.input.GateOptions;
import dev.claimstream.cli.input.ManifestInputs;
import dev.claimstream.cli.output.JsonLine;
import dev.claimstream.cli.output.Terminal;
import dev.claimstream.cli.output.TextTable;
import dev.claimstream.console.ExpressionValidator;
import dev.claimstream.dra.ClusterObject;
import dev.claimstream.dra.FeatureGates;
import dev.claimstream.dra.Kind;
import dev.claimstream.evictions.Eviction;
import dev.claimstream.evictions.EvictionCause;
import dev.claimstream.evictions.Evictions;
import dev.claimstream.manifests.ReadOptions.WorkloadTreatment;
import java.io.PrintWriter;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Lists the claims and pods that NoExecute taints of devices evict. */
@Command(
        name = "evictions",
        mixinStandardHelpOptions = true,
        header = "List the claims and pods that NoExecute taints of devices evict, and when.",
        description = {
            "",
            "Needs allocated claims (kubectl get resourceclaims -o yaml), the ResourceSlices and DeviceTaintRules, and"
                    + " the pods that use the claims. A claim is listed if an allocated device has such a taint"
                    + " that the result does not tolerate for ever, with those of its pods that have a node and are in"
                    + " reservedFor. Workloads such as Deployments are ignored, because a pod that they would create has"
                    + " no node. Only a toleration that names the effect NoExecute counts here.",
            "",
            "A taint of effect None evicts nothing. What it evicts if its effect is changed to NoExecute at the given time is"
                    + " listed with 'if NoExecute'. Times of a DeviceTaintRule then start with the change, times of a"
                    + " ResourceSlice with timeAdded.",
            ""
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:the list is printed, even if it is empty", "1:an input was invalid"},
        footer = {"", "Example: claimstream evictions -f cluster.yaml --at 2026-01-31T12:00:00Z"})
final class EvictionsCommand implements Callable<Integer> {
    @Mixin
    private ManifestInputs inputs;

    @Option(
            names = "--at",
            paramLabel = "TIME",
            description = "Evaluate evictions at this RFC 3339 time; a taint without timeAdded counts as added at this"
                    + " time. Default: now.")
    private Optional<String> at = Optional.empty();

    @Option(
            names = {"-o", "--output"},
            paramLabel = "FORMAT",
            defaultValue = "table",
            description = "table, or json with a line for each claim and each pod.")
    private String output;

    @Mixin
    private GateOptions gates;

    @Spec
    private CommandSpec spec;

    @SuppressWarnings("NullAway.Init") // picocli sets the fields before it runs anything
    private EvictionsCommand() {}

    @Override
    public Integer call() {
        PrintWriter err = spec.commandLine().getErr();
        checkOptions();
        FeatureGates features = gates.features(spec);
        Instant now = at.map(this::instant).orElseGet(() -> Instant.now().truncatedTo(ChronoUnit.SECONDS));
        ManifestInputs.CompletedManifests read =
                inputs.read(WorkloadTreatment.IGNORED, new ExpressionValidator(FeatureGates.all()), err);
        if (read.hasErrors()) {
            err.println("claimstream evictions: rejected objects may change the result: correct them first");
            return ExitCodes.FAILED;
        }
        List<ClusterObject> objects = read.listing().objects();
        List<EvictionRow> rows = Stream.concat(
                        Evictions.of(objects, features, now).stream().map(each -> new EvictionRow(each, false)),
                        Evictions.ifNoneWereNoExecute(objects, features, now).stream()
                                .map(each -> new EvictionRow(each, true)))
                .toList();
        PrintWriter out = spec.commandLine().getOut();
        out.print(output.equals("json") ? json(rows, now) : table(rows, now));
        out.flush();
        return ExitCodes.SUCCESS;
    }

    /**
     * A row of the list.
     *
     * @param isPreview whether the eviction only happens if the effect of its taints, None, is changed to NoExecute
     */
    private record EvictionRow(Eviction eviction, boolean isPreview) {}

    private void checkOptions() {
        if (inputs.all().isEmpty()) {
            throw wrong("missing PATH: name files or directories with Kubernetes objects, or - for standard input");
        }
        if (!output.equals("table") && !output.equals("json")) {
            throw wrong("--output %s is not known: use table or json".formatted(output));
        }
    }

    private Instant instant(String text) {
        try {
            return OffsetDateTime.parse(text).toInstant();
        } catch (DateTimeException e) {
            throw wrong("--at %s is not a time: write it as 2026-01-31T12:00:00Z".formatted(text));
        }
    }

    private ParameterException wrong(String message) {
        return new ParameterException(spec.commandLine(), message);
    }

    private static String table(List<EvictionRow> rows, Instant now) {
        if (rows.isEmpty()) {
            return "no claim is evicted\n";
        }
        TextTable table = new TextTable("KIND", "NAME", "EVICTED", "DUE", "BECAUSE");
        for (EvictionRow row : rows) {
            Eviction eviction = row.eviction();
            table.add(
                    kind(eviction),
                    eviction.object().toString(),
                    eviction.time().toString(),
                    due(eviction, now) + (row.isPreview() ? " if NoExecute" : ""),
                    eviction.causes().stream().map(EvictionCause::toString).collect(Collectors.joining("; ")));
        }
        return table.text(Terminal.width());
    }

    private static String kind(Eviction eviction) {
        return eviction.kind() == Kind.POD ? "pod" : "claim";
    }

    private static String due(Eviction eviction, Instant now) {
        return eviction.isDue(now)
                ? "now"
                : "in "
                        + Duration.between(now, eviction.time())
                                .toString()
                                .substring(2)
                                .toLowerCase(java.util.Locale.ROOT);
    }

    private static String json(List<EvictionRow> rows, Instant now) {
        return rows.stream().map(row -> json(row, now) + "\n").collect(Collectors.joining());
    }

    private static JsonLine json(EvictionRow row, Instant now) {
        Eviction eviction = row.eviction();
        String causes = eviction.causes().stream()
                .map(EvictionsCommand::json)
                .map(JsonLine::toString)
                .collect(Collectors.joining(",", "[", "]"));
        JsonLine line = new JsonLine()
                .text("kind", eviction.kind().apiName())
                .text("namespace", eviction.object().namespace())
                .text("name", eviction.object().name())
                .text("when", eviction.time().toString())
                .literal("due", Boolean.toString(eviction.isDue(now)))
                .literal("causes", causes);
        return row.isPreview() ? line.literal("ifNoExecute", "true") : line;
    }

    private static JsonLine json(EvictionCause cause) {
        return new JsonLine()
                .text("driver", cause.device().driver())
                .text("pool", cause.device().pool())
                .text("device", cause.device().device())
                .text("taint", cause.taint().toString())
                .text("from", cause.origin())
                .text("when", cause.time().toString());
    }
}
