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
    private final Map<Topic, Map<Verdict.Kind, Integer>> counts = new EnumMap<>(Topic.class);
    private final Map<Verdict.Kind, Integer> all = new EnumMap<>(Verdict.Kind.class);

    private int problemsInAll;

    synchronized void addProblem(Set<Topic> topics) {
        problemsInAll++;
        topics.forEach(topic -> problems.merge(topic, 1, Integer::sum));
    }

    synchronized void add(Set<Topic> topics, Verdict.Kind kind) {
        all.merge(kind, 1, Integer::sum);
        topics.forEach(topic -> counts.computeIfAbsent(topic, _ -> new EnumMap<>(Verdict.Kind.class))
                .merge(kind, 1, Integer::sum));
    }

    synchronized long count(Verdict.Kind kind) {
        return all.getOrDefault(kind, 0);
    }

    /** Returns the pairs of topic and outcome (fits, does not fit, error) that never occurred. */
    synchronized List<String> missing() {
        return Arrays.stream(Topic.values())
                .flatMap(topic -> EnumSet.range(Verdict.Kind.FITS, Verdict.Kind.ERROR).stream()
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
        return text.append(row("all", problemsInAll, all)).toString();
    }

    private static String row(String name, int problems, Map<Verdict.Kind, Integer> counts) {
        return "%-18s %9d %9d %9d %12d %9d %19d%n"
                .formatted(
                        name,
                        problems,
                        counts.values().stream().mapToInt(Integer::intValue).sum(),
                        counts.getOrDefault(Verdict.Kind.FITS, 0),
                        counts.getOrDefault(Verdict.Kind.DOES_NOT_FIT, 0),
                        counts.getOrDefault(Verdict.Kind.ERROR, 0),
                        counts.getOrDefault(Verdict.Kind.UNDECIDED, 0));
    }
}
