package dev.claimstream.scenarios;

import dev.claimstream.scenarios.random.ApiArea;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Counts problems per area, and upstream's outcomes per area and node. */
final class Coverage {
    private final Map<ApiArea, Integer> problems = new EnumMap<>(ApiArea.class);
    private final Map<ApiArea, Map<NodeOutcome.OutcomeKind, Integer>> counts = new EnumMap<>(ApiArea.class);
    private final Map<NodeOutcome.OutcomeKind, Integer> totals = new EnumMap<>(NodeOutcome.OutcomeKind.class);

    private int problemCount;

    synchronized void addProblem(Set<ApiArea> areas) {
        problemCount++;
        areas.forEach(area -> problems.merge(area, 1, Integer::sum));
    }

    synchronized void add(Set<ApiArea> areas, NodeOutcome.OutcomeKind kind) {
        totals.merge(kind, 1, Integer::sum);
        areas.forEach(area -> counts.computeIfAbsent(area, _ -> new EnumMap<>(NodeOutcome.OutcomeKind.class))
                .merge(kind, 1, Integer::sum));
    }

    synchronized long count(NodeOutcome.OutcomeKind kind) {
        return totals.getOrDefault(kind, 0);
    }

    /** Returns the pairs of area and outcome (fits, does not fit, error) that never occurred. */
    synchronized List<String> missing() {
        return Arrays.stream(ApiArea.values())
                .flatMap(area -> EnumSet.range(NodeOutcome.OutcomeKind.FITS, NodeOutcome.OutcomeKind.ERROR).stream()
                        .filter(kind -> !counts.getOrDefault(area, Map.of()).containsKey(kind))
                        .map(kind -> area + " " + kind))
                .toList();
    }

    synchronized String table() {
        var text = new StringBuilder("%-18s %9s %9s %9s %12s %9s %19s%n"
                .formatted("TOPIC", "PROBLEMS", "ANSWERS", "FIT", "DO NOT FIT", "ERROR", "UPSTREAM UNDECIDED"));
        for (ApiArea area : ApiArea.values()) {
            text.append(row(area.name(), problems.getOrDefault(area, 0), counts.getOrDefault(area, Map.of())));
        }
        return text.append(row("all", problemCount, totals)).toString();
    }

    private static String row(String name, int problems, Map<NodeOutcome.OutcomeKind, Integer> counts) {
        return "%-18s %9d %9d %9d %12d %9d %19d%n"
                .formatted(
                        name,
                        problems,
                        counts.values().stream().mapToInt(Integer::intValue).sum(),
                        counts.getOrDefault(NodeOutcome.OutcomeKind.FITS, 0),
                        counts.getOrDefault(NodeOutcome.OutcomeKind.DOES_NOT_FIT, 0),
                        counts.getOrDefault(NodeOutcome.OutcomeKind.ERROR, 0),
                        counts.getOrDefault(NodeOutcome.OutcomeKind.UNDECIDED, 0));
    }
}
