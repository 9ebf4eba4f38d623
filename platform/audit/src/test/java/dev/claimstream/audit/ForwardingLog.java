package dev.claimstream.audit;

import java.time.Instant;
import java.util.Optional;
import java.util.SortedSet;
import java.util.function.Predicate;
import org.apache.avro.Schema;

/** A log that reads another one. Subclasses change what a reader sees. */
public class ForwardingLog implements AuditLog {
    private final AuditLog log;

    public ForwardingLog(AuditLog log) {
        this.log = log;
    }

    @Override
    public SortedSet<Integer> partitions(String topic) {
        return log.partitions(topic);
    }

    @Override
    public long begin(String topic, int partition) {
        return log.begin(topic, partition);
    }

    @Override
    public long end(String topic, int partition) {
        return log.end(topic, partition);
    }

    @Override
    public long offsetAt(String topic, int partition, Instant time) {
        return log.offsetAt(topic, partition, time);
    }

    @Override
    public void forEach(String topic, int partition, long from, long to, Predicate<LogRecord> action) {
        log.forEach(topic, partition, from, to, action);
    }

    @Override
    public Optional<Schema> schema(int id) {
        return log.schema(id);
    }

    @Override
    public String location() {
        return log.location();
    }

    @Override
    public void close() {
        log.close();
    }
}
