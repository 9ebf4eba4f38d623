package dev.claimstream.cli.console;

import dev.claimstream.allocation.cell.Comparison.ComparisonResult;
import dev.claimstream.cli.input.JsonObject;
import dev.claimstream.cli.output.TextTable;
import dev.claimstream.manifests.tree.Tree;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The comparisons of observe-only mode, with their numbers per result.
 *
 * @param items comparisons, as the console renders them
 */
public record Differences(List<JsonObject> items) {
    private static final String CLAIMSTREAM = "claimstream";
    private static final String KUBE_SCHEDULER = "kubeScheduler";
    private static final String PENDING_SECONDS = "pendingSeconds";
    private static final int NAMES_MAX = 2;

    public Differences {
        items = List.copyOf(items);
    }

    /** The times in which claims with one result were pending, in seconds. */
    private record PendingTimes(List<Long> sorted) {
        static PendingTimes of(List<JsonObject> items, String allocator) {
            return new PendingTimes(items.stream()
                    .map(item -> item.item(allocator))
                    .filter(each -> each.find(PENDING_SECONDS).isPresent())
                    .map(each -> each.number(PENDING_SECONDS))
                    .sorted()
                    .toList());
        }

        Optional<Long> percentile(int percent) {
            return sorted.isEmpty() ? Optional.empty() : Optional.of(sorted.get((sorted.size() - 1) * percent / 100));
        }

        /** Returns median and maximum for a table. */
        String text() {
            return percentile(50)
                    .map(median -> "%d s / %d s".formatted(median, sorted.getLast()))
                    .orElse("-");
        }

        Tree.Mapping json() {
            return Tree.mapping(fields -> {
                percentile(50).ifPresent(seconds -> fields.put("median", seconds));
                percentile(95).ifPresent(seconds -> fields.put("p95", seconds));
                percentile(100).ifPresent(seconds -> fields.put("max", seconds));
            });
        }
    }

    private Stream<ComparisonResult> results() {
        return Arrays.stream(ComparisonResult.values())
                .filter(each -> !of(each).isEmpty()
                        || (each != ComparisonResult.NOT_COMPARED && each != ComparisonResult.BOTH_PENDING));
    }

    private List<JsonObject> of(ComparisonResult result) {
        return items.stream()
                .filter(item -> item.text("result").equals(result.text()))
                .toList();
    }

    /** Returns a row per result, and the sum. */
    public TextTable summary() {
        var table = new TextTable(
                "RESULT",
                "CLAIMS",
                "SHARE",
                "PENDING IN CLAIMSTREAM (MEDIAN / MAX)",
                "PENDING IN KUBE-SCHEDULER (MEDIAN / MAX)");
        results().forEach(result -> add(table, result.text(), of(result)));
        add(table, "all", items);
        return table;
    }

    private void add(TextTable table, String name, List<JsonObject> some) {
        table.add(
                name,
                Integer.toString(some.size()),
                items.isEmpty() ? "-" : "%d%%".formatted(Math.round(100.0 * some.size() / items.size())),
                PendingTimes.of(some, CLAIMSTREAM).text(),
                PendingTimes.of(some, KUBE_SCHEDULER).text());
    }

    /** Returns a row per claim. */
    public static TextTable table(List<JsonObject> claims) {
        var table = new TextTable("CLAIM", "POD", "RESULT", "CLAIMSTREAM", "KUBE-SCHEDULER");
        claims.forEach(claim -> table.add(
                claim.text("namespace") + "/" + claim.text("name"),
                claim.cell("pod"),
                claim.text("result"),
                claim.find("pending").map(reason -> "pending: " + reason).orElseGet(() -> cell(claim, CLAIMSTREAM)),
                cell(claim, KUBE_SCHEDULER)));
        return table;
    }

    private static String cell(JsonObject claim, String allocator) {
        JsonObject allocation = claim.item(allocator);
        List<String> devices = allocation.texts("devices");
        if (devices.isEmpty()) {
            return "-";
        }
        String names = String.join(", ", devices.subList(0, Math.min(NAMES_MAX, devices.size())));
        String more = devices.size() > NAMES_MAX ? ", +%d".formatted(devices.size() - NAMES_MAX) : "";
        String wait = allocation
                .find(PENDING_SECONDS)
                .map(seconds -> " after %s s".formatted(seconds))
                .orElse("");
        return "%s: %s%s%s".formatted(allocation.cell("node"), names, more, wait);
    }

    /** Returns the numbers and every claim. */
    public Tree.Mapping document() {
        return Tree.mapping(fields -> {
            fields.put(
                    "results",
                    Tree.mapping(all -> results().forEach(result -> all.put(result.text(), json(of(result))))));
            fields.putList("claims", items, JsonObject::tree);
        });
    }

    private static Tree.Mapping json(List<JsonObject> some) {
        return Tree.mapping(fields -> fields.put("claims", (long) some.size())
                .put(
                        "claimstreamPendingSeconds",
                        PendingTimes.of(some, CLAIMSTREAM).json())
                .put(
                        "kubeSchedulerPendingSeconds",
                        PendingTimes.of(some, KUBE_SCHEDULER).json()));
    }
}
