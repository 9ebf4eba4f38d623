package dev.claimstream.load.streams;

import dev.claimstream.audit.AuditLog;
import dev.claimstream.audit.LogRecord;
import dev.claimstream.kafka.registry.RegistryException;
import dev.claimstream.kafka.registry.SchemaRegistry;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.apache.avro.Schema;

/** A log in memory. Offsets have no gap. */
public final class HeapLog implements AuditLog {
    private final SchemaRegistry registry;
    private final Map<String, SortedMap<Integer, HeapPartition>> topics = new TreeMap<>();

    HeapLog(SchemaRegistry registry) {
        this.registry = registry;
    }

    /** The records of a partition, from the offset {@code begin}. */
    private record HeapPartition(long begin, List<LogRecord> records) {
        long end() {
            return begin + records.size();
        }
    }

    void add(String topic, Instant at, byte[] key, byte[] value) {
        add(topic, 0, at, key, value);
    }

    void add(String topic, int partition, Instant at, byte[] key, byte[] value) {
        HeapPartition all = topics.computeIfAbsent(topic, _ -> new TreeMap<>())
                .computeIfAbsent(partition, _ -> new HeapPartition(0, new ArrayList<>()));
        all.records.add(new LogRecord(topic, partition, all.end(), at, Optional.of(key), Optional.of(value)));
    }

    /** A log with the records of one partition only, which get new offsets from {@code begin}. */
    public HeapLog only(String topic, int partition, long begin, List<LogRecord> records) {
        var log = new HeapLog(registry);
        List<LogRecord> numbered = new ArrayList<>();
        records.forEach(each -> numbered.add(
                new LogRecord(topic, partition, begin + numbered.size(), each.timestamp(), each.key(), each.value())));
        log.topics.put(topic, new TreeMap<>(Map.of(partition, new HeapPartition(begin, numbered))));
        return log;
    }

    /** The records of a partition from one offset to before another. */
    public List<LogRecord> records(String topic, int partition, long from, long to) {
        HeapPartition all = of(topic, partition);
        return all.records.subList((int) (from - all.begin), (int) (to - all.begin));
    }

    private HeapPartition of(String topic, int partition) {
        return topics.getOrDefault(topic, new TreeMap<>()).getOrDefault(partition, new HeapPartition(0, List.of()));
    }

    @Override
    public SortedSet<Integer> partitions(String topic) {
        return new TreeSet<>(topics.getOrDefault(topic, new TreeMap<>()).keySet());
    }

    @Override
    public long begin(String topic, int partition) {
        return of(topic, partition).begin;
    }

    @Override
    public long end(String topic, int partition) {
        return of(topic, partition).end();
    }

    @Override
    public long offsetAt(String topic, int partition, Instant time) {
        return of(topic, partition).records.stream()
                .filter(each -> !each.timestamp().isBefore(time))
                .mapToLong(LogRecord::offset)
                .findFirst()
                .orElseGet(() -> end(topic, partition));
    }

    @Override
    public void forEach(String topic, int partition, long from, long to, Predicate<LogRecord> action) {
        for (LogRecord record : records(topic, partition, from, Math.min(to, end(topic, partition)))) {
            if (!action.test(record)) {
                return;
            }
        }
    }

    @Override
    public Optional<Schema> schema(int id) {
        try {
            return Optional.of(registry.byId(id));
        } catch (RegistryException e) { // a modified record may name an ID that no schema has
            return Optional.empty();
        }
    }

    @Override
    public String location() {
        return "memory";
    }

    @Override
    public void close() {}
}
