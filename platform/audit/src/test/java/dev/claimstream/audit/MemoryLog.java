package dev.claimstream.audit;

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

/** A log in memory. Offsets of the records count from the begin of their partition. */
public final class MemoryLog implements AuditLog {
    private final SchemaRegistry registry;
    private final SortedMap<String, SortedMap<Integer, List<LogRecord>>> records = new TreeMap<>();
    private final Map<String, Long> begins = new TreeMap<>();

    public MemoryLog(SchemaRegistry registry) {
        this.registry = registry;
    }

    /** The registry with the schemas of the records. */
    public SchemaRegistry registry() {
        return registry;
    }

    /** Appends a record with the next offset. */
    public void add(String topic, int partition, Instant at, byte[] key, byte[] value) {
        List<LogRecord> all = of(topic, partition);
        all.add(new LogRecord(
                topic, partition, begin(topic, partition) + all.size(), at, Optional.of(key), Optional.of(value)));
    }

    /** Appends a record without a value. */
    public void addTombstone(String topic, int partition, Instant at, byte[] key) {
        List<LogRecord> all = of(topic, partition);
        all.add(new LogRecord(
                topic, partition, begin(topic, partition) + all.size(), at, Optional.of(key), Optional.empty()));
    }

    /** The records of a partition. */
    public List<LogRecord> of(String topic, int partition) {
        return records.computeIfAbsent(topic, _ -> new TreeMap<>()).computeIfAbsent(partition, _ -> new ArrayList<>());
    }

    /** Replaces the records of a partition, and numbers them again. */
    public void replace(String topic, int partition, List<LogRecord> others) {
        List<LogRecord> all = of(topic, partition);
        all.clear();
        others.forEach(each -> all.add(new LogRecord(
                topic, partition, begin(topic, partition) + all.size(), each.timestamp(), each.key(), each.value())));
    }

    /** Deletes the first records, as retention does. */
    public void expire(String topic, int partition, int count) {
        begins.put(topic + partition, begin(topic, partition) + count);
        of(topic, partition).subList(0, count).clear();
    }

    /** A copy that can be changed. */
    public MemoryLog copy() {
        var copy = new MemoryLog(registry);
        copy.begins.putAll(begins);
        records.forEach((topic, partitions) ->
                partitions.forEach((partition, all) -> copy.of(topic, partition).addAll(all)));
        return copy;
    }

    @Override
    public SortedSet<Integer> partitions(String topic) {
        return new TreeSet<>(records.getOrDefault(topic, new TreeMap<>()).keySet());
    }

    @Override
    public long begin(String topic, int partition) {
        return begins.getOrDefault(topic + partition, 0L);
    }

    @Override
    public long end(String topic, int partition) {
        return begin(topic, partition) + of(topic, partition).size();
    }

    @Override
    public long offsetAt(String topic, int partition, Instant time) {
        return of(topic, partition).stream()
                .filter(each -> !each.timestamp().isBefore(time))
                .mapToLong(LogRecord::offset)
                .findFirst()
                .orElse(end(topic, partition));
    }

    @Override
    public void forEach(String topic, int partition, long from, long to, Predicate<LogRecord> action) {
        boolean unused = of(topic, partition).stream()
                .filter(each -> each.offset() >= from && each.offset() < to)
                .allMatch(action);
    }

    @Override
    public Optional<Schema> schema(int id) {
        try {
            return Optional.of(registry.byId(id));
        } catch (RegistryException e) {
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
