package dev.claimstream.history.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.claimstream.history.HistoryInput;
import dev.claimstream.history.HistoryObservation.SliceState;
import dev.claimstream.history.RandomHistory;
import dev.claimstream.history.RandomHistory.TrueInterval;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Compares {@code who}, {@code history} and {@code usage} with sums over the true intervals, for random questions about random
 * histories whose writer is killed now and then. Times are random, or exactly those of an input: the begin or end of an interval.
 */
class NaiveHistoryTest {
    private static final String TOPIC = "cells.in";
    private static final double MICROS_PER_HOUR = 3.6e9;

    /** Random questions about a history. Each is asked of {@code who}, of every kind of {@code history}, and of {@code usage}. */
    private static final int QUESTIONS = Integer.getInteger("history.questions", 5);

    private static final long STEP_MICROS = 60_000_000;

    /** Steps of the cluster. Lists and rebuilds repeat every claim: a step is about four inputs. */
    private static final int STEPS = Integer.getInteger("history.steps", 1000);

    /** Of a large history: parts, in each of which the store is flushed about three times and killed once. */
    private static final int CHANCES = 2_000;

    /** Longest window of a question about all claims, whose answer is limited. */
    private static final long LARGEST_WINDOW = 20_000 * STEP_MICROS / 2;

    /** Figures of usage are rounded to three digits. */
    private static final double ROUNDED = 0.0006;

    @TempDir
    private Path folder = Path.of("");

    private record Window(long begin, long end) {
        Window atMost(long micros) {
            return new Window(begin, Math.min(end, begin + micros));
        }

        TimeWindow asked() {
            return new TimeWindow(Optional.of(time(begin)), Optional.of(time(end)));
        }

        long clipped(TrueInterval interval) {
            long from = Math.max(begin, interval.from());
            long to = interval.to() == 0 ? end : Math.min(end, interval.to());
            return Math.max(0, to - from);
        }

        /** Whether an interval has a part of the window; its end counts as a part of it. */
        boolean touches(TrueInterval interval) {
            return interval.from() <= end && (interval.to() == 0 || interval.to() >= begin);
        }

        /** Whether usage counts the claim of an interval. */
        boolean counts(TrueInterval interval) {
            return interval.from() < end && (interval.to() == 0 || interval.to() > begin);
        }
    }

    private static Instant time(long micros) {
        return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
    }

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {31, 32})
    void answersAreThoseOfNaiveFold(long seed) {
        RandomHistory history = RandomHistory.of(seed, 4, STEPS, STEP_MICROS);
        System.out.printf(
                "seed %d: %,d inputs, %,d intervals%n",
                seed, history.inputs().size(), history.truth().size());
        var random = new Random(seed);
        try (HistoryStore store = folded(history, random)) {
            HistoryReader reader = store.reader();
            for (int i = 0; i < QUESTIONS; i++) {
                long one = anyTime(history, random);
                long other = anyTime(history, random);
                var window = new Window(Math.min(one, other), Math.max(one, other));
                TrueInterval any =
                        history.truth().get(random.nextInt(history.truth().size()));
                String about = "seed %d, question %d, %s, %s".formatted(seed, i, window, any);
                assertWho(about, reader, history, any.device(), one);
                assertHistory(about, reader, history, any, window);
                assertUsage(about, reader, history, window);
            }
        }
    }

    /** A store whose process was killed and began again. */
    private HistoryStore folded(RandomHistory history, Random random) {
        var settings =
                new StoreSettings(Optional.of(folder.resolve("history.db")), folder.resolve("exports"), "256MB", 2);
        List<HistoryInput> inputs = history.inputs();
        HistoryStore store = HistoryStore.open(settings, RandomHistory.cells());
        int next = 0;
        while (next < inputs.size()) {
            store.apply(inputs.get(next));
            next++;
            int chance = random.nextInt(Math.max(400, inputs.size() / CHANCES));
            if (chance < 3) {
                store.position(TOPIC, 0, next);
                store.flushBehind();
            } else if (chance == 3) {
                store.close();
                store = HistoryStore.open(settings, RandomHistory.cells());
                next = (int) store.position(TOPIC, 0).orElse(0);
            }
        }
        store.flush();
        return store;
    }

    private static long anyTime(RandomHistory history, Random random) {
        long first = history.inputs().getFirst().atMicros();
        long last = history.inputs().getLast().atMicros();
        TrueInterval any = history.truth().get(random.nextInt(history.truth().size()));
        return switch (random.nextInt(4)) {
            case 0 -> any.from();
            case 1 -> any.to() == 0 ? last : any.to();
            default -> random.nextLong(first, last + 1);
        };
    }

    private static void assertWho(String about, HistoryReader reader, RandomHistory history, String device, long at) {
        assertThat(texts(reader.who(device, Optional.of(time(at)), AccessScope.ADMINISTRATOR), 1))
                .as(about)
                .isEqualTo(history.truth().stream()
                        .filter(each -> each.device().equals(device))
                        .filter(each -> each.from() <= at && (each.to() == 0 || each.to() > at))
                        .map(each -> "team/" + each.claim())
                        .toList());
    }

    private static List<String> texts(ResultTable table, int column) {
        return table.rows().stream()
                .map(row -> row.get(column).orElseThrow().toString())
                .toList();
    }

    private static void assertHistory(
            String about, HistoryReader reader, RandomHistory history, TrueInterval any, Window window) {
        Map<HistoryKind, Map.Entry<String, Predicate<TrueInterval>>> questions = new TreeMap<>();
        Map<HistoryKind, Window> windows = new TreeMap<>();
        Stream.of(HistoryKind.NAMESPACE, HistoryKind.CLASS)
                .forEach(each -> windows.put(each, window.atMost(LARGEST_WINDOW)));
        questions.put(
                HistoryKind.CLAIM,
                Map.entry("team/" + any.claim(), each -> each.claim().equals(any.claim())));
        questions.put(
                HistoryKind.POD,
                Map.entry("team/pod-of-" + any.claim(), each -> each.claim().equals(any.claim())));
        questions.put(
                HistoryKind.DEVICE,
                Map.entry(any.device(), each -> each.device().equals(any.device())));
        questions.put(
                HistoryKind.NODE, Map.entry(nodeOf(any), each -> nodeOf(each).equals(nodeOf(any))));
        questions.put(HistoryKind.NAMESPACE, Map.entry("team", _ -> true));
        questions.put(HistoryKind.CLASS, Map.entry("gpu", _ -> true));
        questions.forEach((kind, question) -> assertThat(reader
                        .history(
                                kind,
                                question.getKey(),
                                windows.getOrDefault(kind, window).asked(),
                                AccessScope.ADMINISTRATOR)
                        .rows()
                        .stream()
                        .filter(row -> row.get(2).equals(Optional.of("allocated")))
                        .map(NaiveHistoryTest::interval)
                        .sorted(TrueInterval.ORDER)
                        .toList())
                .as("%s, history of %s %s", about, kind, question.getKey())
                .isEqualTo(history.truth().stream()
                        .filter(question.getValue())
                        .filter(windows.getOrDefault(kind, window)::touches)
                        .sorted(TrueInterval.ORDER)
                        .toList()));
    }

    private static TrueInterval interval(List<Optional<Object>> row) {
        return new TrueInterval(
                row.get(5).orElseThrow().toString(),
                row.get(3).orElseThrow().toString().replaceFirst("team/", ""),
                micros((Instant) row.get(0).orElseThrow()),
                row.get(1).map(each -> micros((Instant) each)).orElse(0L));
    }

    private static long micros(Instant time) {
        return ChronoUnit.MICROS.between(Instant.EPOCH, time);
    }

    private static String nodeOf(TrueInterval interval) {
        return interval.device().split("/", -1)[1];
    }

    private static void assertUsage(String about, HistoryReader reader, RandomHistory history, Window window) {
        assertUsage(about, reader, history, window, "namespace", _ -> "team");
        assertUsage(about, reader, history, window, "node", NaiveHistoryTest::nodeOf);
        assertUsage(about, reader, history, window, "label:app", each -> RandomHistory.appOf(each.claim()));
        assertIdle(about, reader, history, window);
    }

    private static void assertUsage(
            String about,
            HistoryReader reader,
            RandomHistory history,
            Window window,
            String by,
            Function<TrueInterval, String> group) {
        Map<String, Double> hours = new TreeMap<>();
        Map<String, Set<String>> claims = new TreeMap<>();
        history.truth().stream().filter(window::counts).forEach(each -> {
            hours.merge(group.apply(each), window.clipped(each) / MICROS_PER_HOUR, Double::sum);
            claims.computeIfAbsent(group.apply(each), _ -> new HashSet<>()).add(each.claim());
        });
        List<List<Optional<Object>>> rows = held(reader, by, window).toList();
        assertThat(rows.stream().map(row -> row.getFirst().orElseThrow().toString()))
                .as("%s, usage by %s", about, by)
                .containsExactlyInAnyOrderElementsOf(hours.keySet());
        rows.forEach(row -> {
            String name = row.getFirst().orElseThrow().toString();
            assertThat(row.get(1).orElseThrow())
                    .as("%s, claims of %s", about, name)
                    .isEqualTo((long) claims.getOrDefault(name, Set.of()).size());
            assertThat((Double) row.get(2).orElseThrow())
                    .as("%s, hours of %s", about, name)
                    .isCloseTo(hours.getOrDefault(name, 0.0), within(ROUNDED));
        });
    }

    private static Stream<List<Optional<Object>>> held(HistoryReader reader, String by, Window window) {
        return reader.usage(UsageGroup.of(by), window.asked(), Map.of(), AccessScope.ADMINISTRATOR).rows().stream()
                .filter(row -> row.get(1).isPresent());
    }

    private static void assertIdle(String about, HistoryReader reader, RandomHistory history, Window window) {
        Map<String, Long> idle = new TreeMap<>();
        history.inputs().forEach(input -> {
            if (input.observation() instanceof SliceState slice) {
                long published = Math.max(0, window.end() - Math.max(window.begin(), input.atMicros()));
                idle.put(slice.node(), published * slice.devices().size());
            }
        });
        history.truth().stream()
                .filter(window::counts)
                .forEach(each -> idle.merge(nodeOf(each), -window.clipped(each), Long::sum));
        Map<String, Double> found = new TreeMap<>();
        reader.usage(UsageGroup.of("node"), window.asked(), Map.of(), AccessScope.ADMINISTRATOR).rows().stream()
                .filter(row -> row.get(6).isPresent())
                .forEach(row -> found.put(row.getFirst().orElseThrow().toString(), (Double)
                        row.get(6).orElseThrow()));
        idle.forEach((node, micros) -> assertThat(found.getOrDefault(node, 0.0))
                .as("%s, idle hours of %s", about, node)
                .isCloseTo(micros / MICROS_PER_HOUR, within(ROUNDED)));
    }
}
