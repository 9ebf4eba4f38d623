package dev.claimstream.history.streams;

import dev.claimstream.audit.AuditLog;
import dev.claimstream.history.store.HistoryStore;
import dev.claimstream.history.store.UtilizationHour;
import dev.claimstream.kafka.AvroSerde;
import dev.claimstream.kafka.DecodeResult;
import dev.claimstream.kafka.RecordSerde;
import dev.claimstream.kafka.registry.SchemaRegistry;
import dev.claimstream.schemas.DeviceSample;
import dev.claimstream.schemas.TelemetryRecord;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;

/**
 * Adds up the utilization of each device by the hour.
 *
 * <p>Sums are stored with the offset after them once a sample of the next hour is read. A restart reads the samples of the present hour
 * again. Not safe for several threads.
 */
final class TelemetryFold {
    private static final String TOPIC = "telemetry.v1";
    private static final long HOUR = Duration.ofHours(1).toSeconds() * 1_000_000;

    private final HistoryStore store;
    private final RecordSerde<TelemetryRecord> serde;
    private final Map<String, UtilizationHour> sums = new TreeMap<>();
    private final Map<Integer, Long> next = new TreeMap<>();
    private long hour;

    TelemetryFold(HistoryStore store, SchemaRegistry registry) {
        this.store = store;
        serde = AvroSerde.of(TelemetryRecord.class, registry);
    }

    /**
     * Reads what is new. Records that cannot be read are left out.
     *
     * @param isStopped whether to end early; asked after each record
     */
    void run(AuditLog log, BooleanSupplier isStopped) {
        for (int partition : log.partitions(TOPIC)) {
            long begin = log.begin(TOPIC, partition);
            long from = next.computeIfAbsent(
                    partition, each -> store.position(TOPIC, each).orElseGet(() -> first(log, each, begin)));
            long end = log.end(TOPIC, partition);
            log.forEach(TOPIC, partition, Math.max(from, begin), end, record -> {
                if (serde.read(TOPIC, record.value().orElse(null))
                        instanceof DecodeResult.Value<TelemetryRecord>(TelemetryRecord value)) {
                    add(value);
                }
                next.put(partition, record.offset() + 1);
                return !isStopped.getAsBoolean();
            });
        }
    }

    /** The first record that is not part of the archived hours. */
    private long first(AuditLog log, int partition, long begin) {
        return ArchivedTelemetry.end(store)
                .map(end -> log.offsetAt(TOPIC, partition, end))
                .orElse(begin);
    }

    private void add(TelemetryRecord record) {
        long at = EventReader.micros(record.getAt());
        long of = at - Math.floorMod(at, HOUR);
        if (of > hour) {
            keep();
            hour = of;
        }
        record.getSamples()
                .forEach(sample -> sample.getUtilizationPercent().ifPresent(percent -> add(of, sample, percent)));
    }

    private void add(long of, DeviceSample sample, double percent) {
        var id = sample.getDevice();
        String key = "%d %s/%s/%s".formatted(of, id.getDriver(), id.getPool(), id.getDevice());
        UtilizationHour sum =
                sums.getOrDefault(key, new UtilizationHour(id.getDriver(), id.getPool(), id.getDevice(), of, 0, 0));
        sums.put(key, sum.with(percent));
    }

    /** Hands the sums to the store, with the offset of the record that begins the next hour. */
    private void keep() {
        sums.values().forEach(store::add);
        sums.clear();
        next.forEach((partition, offset) -> store.position(TOPIC, partition, offset));
    }
}
