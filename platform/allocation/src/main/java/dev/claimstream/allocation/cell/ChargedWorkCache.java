package dev.claimstream.allocation.cell;

import dev.claimstream.allocation.solver.EvaluationCache;
import dev.claimstream.allocation.solver.EvaluationPortion;
import dev.claimstream.allocation.solver.ExpressionResult;
import dev.claimstream.allocation.solver.WorkMeter;
import dev.claimstream.dra.ReadKey;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * A cache of evaluation answers, shape indexes and preparations, and the namespace that was charged for each.
 *
 * <p>Work is charged once and kept as rows. The tables are bounded: the namespace with the most entries loses its
 * oldest entry, so that no namespace can displace others. Answers of the shape that is being evaluated are never
 * evicted.
 */
final class ChargedWorkCache implements RowIndex, WorkMeter.ChargedWork {
    /** Maximum number of answers of all expressions; larger with many devices. */
    private static final long ANSWERS_MAX = 500_000;

    private static final int ANSWERS_PER_DEVICE = 4;
    private static final int PREPARATIONS_MAX = 4096;

    private final EvaluationCache evaluations;
    private final SortedMap<String, NavigableMap<Integer, WorkBudgetRow.EvaluationRow>> expressions = new TreeMap<>();
    private final SortedMap<String, WorkBudgetRow.IndexRow> indexes = new TreeMap<>();
    private final SortedMap<String, SortedSet<CacheEntry>> indexesOf = new TreeMap<>();
    private final SortedMap<String, WorkBudgetRow.PreparationRow> preparations = new TreeMap<>();
    private final SortedMap<String, SortedSet<CacheEntry>> preparationsOf = new TreeMap<>();
    private final SortedMap<String, SortedSet<CacheEntry>> expressionsOf = new TreeMap<>();
    private final long answersMax;
    /** See {@link WorkBudgetRow.SliceChangesRow}. */
    private long devicesChanged;

    ChargedWorkCache(EvaluationCache evaluations) {
        this(evaluations, ANSWERS_MAX);
    }

    /** @param answersMax maximum number of answers of all expressions; larger with many devices */
    ChargedWorkCache(EvaluationCache evaluations, long answersMax) {
        this.evaluations = evaluations;
        this.answersMax = answersMax;
    }

    /** A table entry, ordered by age. */
    private record CacheEntry(long sinceOffset, String name) implements Comparable<CacheEntry> {
        private static final Comparator<CacheEntry> ORDER =
                Comparator.comparingLong(CacheEntry::sinceOffset).thenComparing(CacheEntry::name);

        @Override
        public int compareTo(CacheEntry other) {
            return ORDER.compare(this, other);
        }
    }

    @Override
    public void add(Row row) {
        switch (row) {
            case WorkBudgetRow.EvaluationRow evaluation -> add(evaluation);
            case WorkBudgetRow.IndexRow index -> add(index);
            case WorkBudgetRow.PreparationRow preparation -> add(preparation);
            case WorkBudgetRow.SliceChangesRow slices -> devicesChanged = slices.devices();
            default -> {}
        }
    }

    @Override
    public void remove(Row row) {
        switch (row) {
            case WorkBudgetRow.EvaluationRow evaluation -> remove(evaluation);
            case WorkBudgetRow.IndexRow index -> remove(index);
            case WorkBudgetRow.PreparationRow preparation -> remove(preparation);
            case WorkBudgetRow.SliceChangesRow _ -> devicesChanged = 0;
            default -> {}
        }
    }

    private void add(WorkBudgetRow.EvaluationRow row) {
        expressions.computeIfAbsent(row.expression(), _ -> new TreeMap<>()).put(row.part(), row);
        expressionsOf
                .computeIfAbsent(row.namespace(), _ -> new TreeSet<>())
                .add(new CacheEntry(row.sinceOffset(), row.expression()));
        evaluations.put(row.expression(), row.answers());
    }

    private void remove(WorkBudgetRow.EvaluationRow row) {
        evaluations.remove(row.expression(), row.answers());
        NavigableMap<Integer, WorkBudgetRow.EvaluationRow> parts = expressions.get(row.expression());
        if (parts != null && parts.remove(row.part()) != null && parts.isEmpty()) {
            expressions.remove(row.expression());
            remove(expressionsOf, row.namespace(), new CacheEntry(row.sinceOffset(), row.expression()));
        }
    }

    private void add(WorkBudgetRow.IndexRow row) {
        indexes.put(row.shape(), row);
        indexesOf
                .computeIfAbsent(row.namespace(), _ -> new TreeSet<>())
                .add(new CacheEntry(row.sinceOffset(), row.shape()));
    }

    private void remove(WorkBudgetRow.IndexRow row) {
        indexes.remove(row.shape());
        remove(indexesOf, row.namespace(), new CacheEntry(row.sinceOffset(), row.shape()));
    }

    private void add(WorkBudgetRow.PreparationRow row) {
        preparations.put(row.expressions(), row);
        preparationsOf
                .computeIfAbsent(row.namespace(), _ -> new TreeSet<>())
                .add(new CacheEntry(row.sinceOffset(), row.expressions()));
    }

    private void remove(WorkBudgetRow.PreparationRow row) {
        preparations.remove(row.expressions());
        remove(preparationsOf, row.namespace(), new CacheEntry(row.sinceOffset(), row.expressions()));
    }

    private static void remove(SortedMap<String, SortedSet<CacheEntry>> entries, String namespace, CacheEntry entry) {
        SortedSet<CacheEntry> those = entries.get(namespace);
        if (those != null && those.remove(entry) && those.isEmpty()) {
            entries.remove(namespace);
        }
    }

    @Override
    public boolean isIndexed(String shape) {
        return indexes.containsKey(shape);
    }

    @Override
    public long uncountedDevices(String shape) {
        WorkBudgetRow.IndexRow row = indexes.get(shape);
        return row == null || row.counted() < 0 ? Long.MAX_VALUE : devicesChanged - row.counted();
    }

    @Override
    public long compiledCost(String expressions) {
        return Optional.ofNullable(preparations.get(expressions))
                .map(WorkBudgetRow.PreparationRow::compiled)
                .orElse(-1L);
    }

    @Override
    public long uncheckedDevices(String expressions) {
        return Optional.ofNullable(preparations.get(expressions))
                .filter(row -> row.checked() >= 0)
                .map(row -> devicesChanged - row.checked())
                .orElse(Long.MAX_VALUE);
    }

    /** All rows of the tables. */
    List<Row> all() {
        return Stream.of(
                        expressions.values().stream().flatMap(parts -> parts.values().stream()),
                        indexes.values().stream(),
                        preparations.values().stream())
                .flatMap(rows -> rows)
                .map(Row.class::cast)
                .toList();
    }

    /** The facts that store a charged portion, after evictions that make room. */
    List<Fact> charge(EvaluationPortion portion, String namespace, long offset, long devices) {
        long added = portion.results().values().stream().mapToLong(Map::size).sum();
        List<Fact> facts = new ArrayList<>(
                evictions(added, Math.max(answersMax, ANSWERS_PER_DEVICE * devices), portion.expressions()));
        portion.results()
                .forEach((expression, answers) -> facts.addAll(charge(expression, answers, namespace, offset)));
        portion.preparation().ifPresent(prepared -> facts.addAll(charge(prepared, namespace, offset)));
        return facts;
    }

    private List<Fact> charge(EvaluationPortion.Preparation prepared, String namespace, long offset) {
        long checked = prepared.unchecked() > devicesChanged ? -1 : devicesChanged - prepared.unchecked();
        List<Fact> facts = new ArrayList<>();
        if (!preparations.containsKey(prepared.expressions()) && preparations.size() >= PREPARATIONS_MAX) {
            oldest(preparationsOf, Collections.emptySet())
                    .ifPresent(each -> facts.add(new Fact.Drop(WorkBudgetRow.PreparationRow.key(each))));
        }
        facts.add(new Fact.Put(new WorkBudgetRow.PreparationRow(
                prepared.expressions(), namespace, offset, prepared.compiled(), checked)));
        return facts;
    }

    /** The oldest entry of the namespace with the most entries. */
    private static Optional<String> oldest(SortedMap<String, SortedSet<CacheEntry>> entries, Set<String> evicted) {
        return entries.values().stream()
                .map(those -> those.stream()
                        .map(CacheEntry::name)
                        .filter(name -> !evicted.contains(name))
                        .toList())
                .filter(names -> !names.isEmpty())
                .reduce((one, other) -> other.size() > one.size() ? other : one)
                .map(List::getFirst);
    }

    private List<Fact> evictions(long added, long most, Set<String> needed) {
        List<Fact> facts = new ArrayList<>();
        var evicted = new TreeSet<String>();
        long remaining = evaluations.size() + added;
        while (remaining > most) {
            Optional<String> eldest = oldest(needed, evicted);
            if (eldest.isEmpty()) {
                break;
            }
            evicted.add(eldest.get());
            remaining -= evaluations.size(eldest.get());
            parts(eldest.get()).values().forEach(row -> facts.add(new Fact.Drop(row.key())));
        }
        return facts;
    }

    /** The oldest expression of the namespace with the most answers. */
    private Optional<String> oldest(Set<String> needed, Set<String> evicted) {
        Optional<String> found = Optional.empty();
        long most = 0;
        for (SortedSet<CacheEntry> entries : expressionsOf.values()) {
            List<String> candidates = entries.stream()
                    .map(CacheEntry::name)
                    .filter(name -> !needed.contains(name) && !evicted.contains(name))
                    .toList();
            long answers = candidates.stream().mapToLong(evaluations::size).sum();
            if (answers > most) {
                most = answers;
                found = Optional.of(candidates.getFirst());
            }
        }
        return found;
    }

    private List<Fact> charge(
            String expression, SortedMap<ReadKey, ExpressionResult> answers, String namespace, long offset) {
        Optional<WorkBudgetRow.EvaluationRow> last =
                Optional.ofNullable(parts(expression).lastEntry()).map(Map.Entry::getValue);
        int part = last.map(WorkBudgetRow.EvaluationRow::part).orElse(0);
        var rest = new TreeMap<>(last.map(WorkBudgetRow.EvaluationRow::answers).orElse(Collections.emptySortedMap()));
        String payer = last.map(WorkBudgetRow.EvaluationRow::namespace).orElse(namespace);
        long since = last.map(WorkBudgetRow.EvaluationRow::sinceOffset).orElse(offset);
        List<Fact> facts = new ArrayList<>();
        for (Map.Entry<ReadKey, ExpressionResult> each : answers.entrySet()) {
            if (rest.size() >= WorkBudgetRow.EvaluationRow.ANSWERS_MAX) {
                facts.add(new Fact.Put(new WorkBudgetRow.EvaluationRow(expression, part, payer, since, rest)));
                rest.clear();
                part++;
            }
            rest.put(each.getKey(), each.getValue());
        }
        facts.add(new Fact.Put(new WorkBudgetRow.EvaluationRow(expression, part, payer, since, rest)));
        return facts;
    }

    private NavigableMap<Integer, WorkBudgetRow.EvaluationRow> parts(String expression) {
        return expressions.getOrDefault(expression, Collections.emptyNavigableMap());
    }

    /** The facts that store charged indexes, after evictions that make room. */
    List<Fact> charge(WorkMeter meter, String namespace, long offset, int most) {
        Set<String> shapes = meter.newIndexes();
        List<Fact> facts = new ArrayList<>();
        var evicted = new TreeSet<String>();
        while (indexes.size() - evicted.size() + shapes.size() > most) {
            Optional<String> eldest = oldest(indexesOf, evicted);
            if (eldest.isEmpty()) {
                break;
            }
            evicted.add(eldest.get());
            facts.add(new Fact.Drop(WorkBudgetRow.IndexRow.key(eldest.get())));
        }
        shapes.forEach(shape -> facts.add(new Fact.Put(new WorkBudgetRow.IndexRow(
                shape, namespace, offset, meter.newCounts().contains(shape) ? devicesChanged : -1))));
        for (String shape : meter.newCounts()) {
            WorkBudgetRow.IndexRow row = indexes.get(shape);
            if (row != null && !evicted.contains(shape)) {
                facts.add(new Fact.Put(
                        new WorkBudgetRow.IndexRow(shape, row.namespace(), row.sinceOffset(), devicesChanged)));
            }
        }
        return facts;
    }
}
