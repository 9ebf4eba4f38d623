package dev.claimstream.scenarios;

import dev.claimstream.scenarios.random.Topic;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Counts problems per topic, and upstream's outcomes per topic and node. */
final class Coverage {
    private final Map<Topic, Integer> problems = new EnumMap<>(Topic.class);
    private final Map<Topic, Map<NodeOutcome.OutcomeKind, Integer>> counts = new EnumMap<>(Topic.class);
    private final Map<NodeOutcome.OutcomeKind, Integer> totals = new EnumMap<>(NodeOutcome.OutcomeKind.class);

    private int problemCount;

    synchronized void addProblem(Set<Topic> topics) {
        problemCount++;
        topics.forEach(topic -> problems.merge(topic, 1, Integer::sum));
    }

    synchronized void add(Set<Topic> topics, NodeOutcome.OutcomeKind kind) {
        totals.merge(kind, 1, Integer::sum);
        topics.forEach(topic -> counts.computeIfAbsent(topic, _ -> new EnumMap<>(NodeOutcome.OutcomeKind.class))
                .merge(kind, 1, Integer::sum));
    }

    synchronized long count(NodeOutcome.OutcomeKind kind) {
        return totals.getOrDefault(kind, 0);
    }

    /** Returns the pairs of topic and outcome (fits, does not fit, error) that never occurred. */
    synchronized List<String> missing() {
        return Arrays.stream(Topic.values())
                .flatMap(topic -> EnumSet.range(NodeOutcome.OutcomeKind.FITS, NodeOutcome.OutcomeKind.ERROR).stream()
                        .filter(kind -> !counts.getOrDefault(topic, Map.of()).containsKey(kind))
                        .map(kind -> topic + " " + kind))
                .toList();
    }

    synchronized String table() {
        var text = new StringBuilder("%-18s %9s %9s %9s %12s %9s %19s%n"
                .formatted("TOPIC", "PROBLEMS", "ANSWERS", "FIT", "DO NOT FIT", "ERROR", "UPSTREAM UNDECIDED"));
        for (Topic topic : Topic.values()) {
            text.append(row(topic.name(), problems.getOrDefault(topic, 0), counts.getOrDefault(topic, Map.of())));
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
