package dev.claimstream.load.streams;

import dev.claimstream.audit.AuditLog;
import dev.claimstream.audit.LogRecord;
import dev.claimstream.kafka.registry.SchemaRegistry;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.apache.avro.Schema;

/** The log of one cell in memory. Offsets begin at 0 and have no gap. */
final class HeapLog implements AuditLog {
    private final SchemaRegistry registry;
    private final Map<String, List<LogRecord>> topics = new TreeMap<>();

    HeapLog(SchemaRegistry registry) {
        this.registry = registry;
    }

    void add(String topic, Instant at, byte[] key, byte[] value) {
        List<LogRecord> records = topics.computeIfAbsent(topic, _ -> new ArrayList<>());
        records.add(new LogRecord(topic, 0, records.size(), at, Optional.of(key), Optional.of(value)));
    }

    private List<LogRecord> of(String topic) {
        return topics.getOrDefault(topic, List.of());
    }

    @Override
    public SortedSet<Integer> partitions(String topic) {
        return topics.containsKey(topic) ? new TreeSet<>(List.of(0)) : new TreeSet<>();
    }

    @Override
    public long begin(String topic, int partition) {
        return 0;
    }

    @Override
    public long end(String topic, int partition) {
        return of(topic).size();
    }

    @Override
    public long offsetAt(String topic, int partition, Instant time) {
        return of(topic).stream()
                .filter(each -> !each.timestamp().isBefore(time))
                .mapToLong(LogRecord::offset)
                .findFirst()
                .orElseGet(() -> end(topic, partition));
    }

    @Override
    public void forEach(String topic, int partition, long from, long to, Predicate<LogRecord> action) {
        for (LogRecord record : of(topic).subList((int) from, (int) to)) {
            if (!action.test(record)) {
                return;
            }
        }
    }

    @Override
    public Optional<Schema> schema(int id) {
        return Optional.of(registry.byId(id));
    }

    @Override
    public String location() {
        return "memory";
    }

    @Override
    public void close() {}
}
