package dev.claimstream.load;

import dev.claimstream.audit.LogVerifier;
import dev.claimstream.history.store.AccessScope;
import dev.claimstream.history.store.HistoryKind;
import dev.claimstream.history.store.HistoryReader;
import dev.claimstream.history.store.HistoryStore;
import dev.claimstream.history.store.ResultTable;
import dev.claimstream.history.store.StoreSettings;
import dev.claimstream.history.store.TimeWindow;
import dev.claimstream.history.store.UsageGroup;
import dev.claimstream.history.streams.LogFold;
import dev.claimstream.load.streams.HeapLog;
import dev.claimstream.load.streams.HoldInterval;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * Folds a log as the history service does, and compares its answers with the intervals of a naive fold.
 *
 * <p>Between two parts of the log the service is stopped, or killed before it has stored the part.
 */
final class HistoryComparison {
    /**
     * Limit for the average number of inputs between two ends of the service, which is otherwise a tenth of the log.
     */
    private static final int PART_MAX = 50_000;

    private static final int PARTS = 10;

    /** Longest window of a question about all claims, whose answer is limited. */
    private static final long LARGEST_WINDOW = 2_000_000_000L;

    private static final double MICROS_PER_HOUR = 3.6e9;

    /** Figures of usage are rounded to three digits. */
    private static final double ROUNDED = 0.0006;

    private final HeapLog log;
    private final List<HoldInterval> holders;
    private final Random random;
    private final StoreSettings settings;
    private final long first;
    private final long last;

    /** Ends a fold before it has stored what it has folded. */
    private static final class FoldAbortException extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    /** @param holders the intervals of the naive fold */
    HistoryComparison(HeapLog log, List<HoldInterval> holders, Random random, Path folder) {
        this.log = log;
        this.holders = List.copyOf(holders);
        this.random = random;
        settings = new StoreSettings(Optional.of(folder.resolve("history.db")), folder.resolve("exports"), "512MB", 2);
        List<Long> begins = new ArrayList<>();
        List<Long> ends = new ArrayList<>();
        for (int cell : log.partitions(LogVerifier.INPUTS)) {
            long end = log.end(LogVerifier.INPUTS, cell);
            begins.add(micros(
                    log.records(LogVerifier.INPUTS, cell, 0, 1).getFirst().timestamp()));
            ends.add(micros(log.records(LogVerifier.INPUTS, cell, end - 1, end)
                    .getFirst()
                    .timestamp()));
        }
        first = begins.stream().mapToLong(each -> each).min().orElseThrow();
        last = ends.stream().mapToLong(each -> each).max().orElseThrow();
    }

    private static long micros(Instant time) {
        return ChronoUnit.MICROS.between(Instant.EPOCH, time);
    }

    private static Instant time(long micros) {
        return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
    }

    /**
     * Result of a comparison.
     *
     * @param kills number of times that the service was killed
     * @param differences one line for each answer that is not that of the naive fold
     */
    record AnswerComparison(int kills, List<String> differences) {
        AnswerComparison {
            differences = List.copyOf(differences);
        }
    }

    /** Folds the log, and asks this number of random questions. */
    AnswerComparison run(int questions) {
        int kills = fold();
        List<String> differences = new ArrayList<>();
        try (HistoryStore store = open()) {
            for (int i = 0; i < questions; i++) {
                ask(store.reader()).ifPresent(differences::add);
            }
        }
        return new AnswerComparison(kills, differences);
    }

    private HistoryStore open() {
        return HistoryStore.open(settings, log.partitions(LogVerifier.INPUTS).size());
    }

    /** Returns the number of kills. */
    private int fold() {
        int kills = 0;
        long inputs = log.partitions(LogVerifier.INPUTS).stream()
                .mapToLong(each -> log.end(LogVerifier.INPUTS, each))
                .sum();
        int average = Math.clamp(inputs / PARTS, 1, PART_MAX);
        boolean isDone = false;
        while (!isDone) {
            int part = 1 + random.nextInt(2 * average);
            boolean isKilled = random.nextInt(3) == 0;
            int[] count = {0};
            try (HistoryStore store = open()) {
                new LogFold(log, store, System.err::println).run(LogFold.end(log), () -> {
                    if (++count[0] > part && isKilled) {
                        throw new FoldAbortException();
                    }
                    return count[0] > part;
                });
                isDone = count[0] <= part;
            } catch (FoldAbortException _) {
                kills++;
            }
        }
        return kills;
    }

    // ---- questions

    /** Asks a random question. Returns the difference; empty if the answers are equal. */
    private Optional<String> ask(HistoryReader reader) {
        HoldInterval any = holders.get(random.nextInt(holders.size()));
        long one = anyTime();
        long other = anyTime();
        long begin = Math.min(one, other);
        long end = Math.max(one, other);
        return switch (random.nextInt(6)) {
            case 0 -> who(reader, any.device(), one);
            case 1 ->
                history(
                        reader,
                        HistoryKind.CLAIM,
                        any.claim(),
                        each -> each.claim().equals(any.claim()),
                        begin,
                        end);
            case 2 ->
                history(
                        reader,
                        HistoryKind.DEVICE,
                        any.device(),
                        each -> each.device().equals(any.device()),
                        begin,
                        end);
            case 3 ->
                history(
                        reader,
                        HistoryKind.NAMESPACE,
                        namespace(any),
                        each -> namespace(each).equals(namespace(any)),
                        begin,
                        Math.min(end, begin + LARGEST_WINDOW));
            case 4 -> usage(reader, "node", HoldInterval::node, begin, end);
            default -> usage(reader, "namespace", HistoryComparison::namespace, begin, end);
        };
    }

    private static String namespace(HoldInterval interval) {
        return interval.claim().substring(0, interval.claim().indexOf('/'));
    }

    /** A random time, or exactly the begin or the end of an interval. */
    private long anyTime() {
        HoldInterval any = holders.get(random.nextInt(holders.size()));
        return switch (random.nextInt(4)) {
            case 0 -> any.from();
            case 1 -> any.to() == 0 ? last : any.to();
            default -> random.nextLong(first, last + 1);
        };
    }

    private static <T> Optional<String> difference(String question, T found, T expected) {
        return found.equals(expected)
                ? Optional.empty()
                : Optional.of("%s: the history has %s, the naive fold %s".formatted(question, found, expected));
    }

    private Optional<String> who(HistoryReader reader, String device, long at) {
        ResultTable table = reader.who(device, Optional.of(time(at)), AccessScope.ADMINISTRATOR);
        return difference(
                "who %s --at %s".formatted(device, time(at)),
                table.rows().stream().map(row -> text(row, 1)).sorted().toList(),
                holders.stream()
                        .filter(each -> each.device().equals(device) && each.contains(at))
                        .map(HoldInterval::claim)
                        .sorted()
                        .toList());
    }

    private static String text(List<Optional<Object>> row, int column) {
        return row.get(column).map(Object::toString).orElse("");
    }

    private Optional<String> history(
            HistoryReader reader,
            HistoryKind kind,
            String name,
            Predicate<HoldInterval> isAsked,
            long begin,
            long end) {
        var window = new TimeWindow(Optional.of(time(begin)), Optional.of(time(end)));
        Set<HoldInterval> found = new HashSet<>();
        reader.history(kind, name, window, AccessScope.ADMINISTRATOR).rows().stream()
                .filter(row -> text(row, 2).equals("allocated"))
                .forEach(row -> found.add(new HoldInterval(
                        text(row, 5),
                        text(row, 3),
                        text(row, 6),
                        micros((Instant) row.get(0).orElseThrow()),
                        row.get(1).map(each -> micros((Instant) each)).orElse(0L))));
        Set<HoldInterval> expected = new HashSet<>();
        holders.stream()
                .filter(isAsked)
                .filter(each -> each.from() <= end && (each.to() == 0 || each.to() >= begin))
                .forEach(expected::add);
        Set<HoldInterval> same = new HashSet<>(found);
        same.retainAll(expected);
        found.removeAll(same);
        expected.removeAll(same);
        return difference(
                "history %s %s --since %s --until %s".formatted(kind.text(), name, time(begin), time(end)),
                found,
                expected);
    }

    private Optional<String> usage(
            HistoryReader reader, String by, Function<HoldInterval, String> group, long begin, long end) {
        Map<String, Double> hours = new TreeMap<>();
        Map<String, Set<String>> claims = new TreeMap<>();
        holders.stream()
                .filter(each -> each.from() < end && (each.to() == 0 || each.to() > begin))
                .forEach(each -> {
                    hours.merge(group.apply(each), each.within(begin, end) / MICROS_PER_HOUR, Double::sum);
                    claims.computeIfAbsent(group.apply(each), _ -> new HashSet<>())
                            .add(each.claim());
                });
        Map<String, String> expected = new TreeMap<>();
        claims.forEach((name, all) -> expected.put(name, "%d claims".formatted(all.size())));
        Map<String, String> found = new TreeMap<>();
        var window = new TimeWindow(Optional.of(time(begin)), Optional.of(time(end)));
        reader.usage(UsageGroup.of(by), window, Map.of(), AccessScope.ADMINISTRATOR).rows().stream()
                .filter(row -> row.get(1).isPresent())
                .forEach(row -> {
                    double naive = hours.getOrDefault(text(row, 0), 0.0);
                    boolean isEqual = Math.abs(Double.parseDouble(text(row, 2)) - naive) <= ROUNDED;
                    found.put(
                            text(row, 0),
                            isEqual
                                    ? text(row, 1) + " claims"
                                    : "%s claims, %s hours instead of %.4f"
                                            .formatted(text(row, 1), text(row, 2), naive));
                });
        return difference("usage --by %s --since %s --until %s".formatted(by, time(begin), time(end)), found, expected);
    }
}
