package dev.claimstream.audit.streams;

import dev.claimstream.audit.ArchiveStore;
import dev.claimstream.audit.AuditException;
import dev.claimstream.audit.AuditLog;
import dev.claimstream.audit.LogRecord;
import dev.claimstream.audit.StoredFile;
import dev.claimstream.audit.TelemetryFiles;
import dev.claimstream.audit.TelemetryManifest;
import dev.claimstream.audit.TelemetryManifest.OffsetRange;
import dev.claimstream.dra.DeviceId;
import dev.claimstream.kafka.AvroSerde;
import dev.claimstream.kafka.DecodeResult;
import dev.claimstream.kafka.RecordSerde;
import dev.claimstream.kafka.Topics;
import dev.claimstream.schemas.TelemetryRecord;
import dev.claimstream.wire.Telemetry;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Comparator;
import java.util.DoubleSummaryStatistics;
import java.util.LongSummaryStatistics;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.apache.avro.AvroRuntimeException;
import org.apache.avro.Schema;
import org.apache.avro.SchemaBuilder;
import org.apache.avro.file.CodecFactory;
import org.apache.avro.file.DataFileStream;
import org.apache.avro.file.DataFileWriter;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.generic.GenericRecord;
import org.jspecify.annotations.Nullable;

/**
 * Archives hourly aggregates of the telemetry: one Avro file {@code telemetry/<hour>.avro} per complete hour, and a manifest.
 *
 * <p>A file has a record per device. An hour is that of the broker's timestamps. An hour exists completely or not at all.
 */
public final class TelemetryArchive {
    private static final int ZSTD_LEVEL = 3;

    /** Time after the end of an hour in which its last records may still come. */
    private static final Duration LATE = Duration.ofMinutes(2);

    private static final Schema SCHEMA = SchemaBuilder.record("TelemetryHour")
            .namespace("dev.claimstream.archive")
            .doc("The measurements of one device in one hour.")
            .fields()
            .name("hour")
            .doc("Begin of the hour, in milliseconds since 1970.")
            .type()
            .longType()
            .noDefault()
            .requiredString("node")
            .requiredString("driver")
            .requiredString("pool")
            .requiredString("device")
            .requiredLong("samples")
            .optionalDouble("utilizationMeanPercent")
            .optionalDouble("utilizationMaxPercent")
            .optionalLong("memoryMaxBytes")
            .optionalDouble("powerMeanWatts")
            .optionalDouble("temperatureMaxCelsius")
            .endRecord();

    private final AuditLog log;
    private final TelemetryFiles files;
    private final String release;
    private final RecordSerde<TelemetryRecord> serde;

    /**
     * @param archive the archive; the caller holds its lock
     * @param release version of this program
     */
    public TelemetryArchive(AuditLog log, ArchiveStore archive, String release) {
        this.log = log;
        this.release = release;
        files = new TelemetryFiles(archive);
        serde = AvroSerde.of(TelemetryRecord.class, new LogSchemas(log));
    }

    private record DeviceOnNode(String node, DeviceId device) implements Comparable<DeviceOnNode> {
        private static final Comparator<DeviceOnNode> ORDER =
                Comparator.comparing(DeviceOnNode::node).thenComparing(DeviceOnNode::device);

        @Override
        public int compareTo(DeviceOnNode other) {
            return ORDER.compare(this, other);
        }
    }

    /** The content of one hour of the topic. */
    private static final class HourSums {
        private final SortedMap<DeviceOnNode, DeviceSums> devices = new TreeMap<>();
        private final SortedMap<Integer, OffsetRange> offsets = new TreeMap<>();
        private final SortedMap<Integer, String> schemas = new TreeMap<>();
    }

    private static final class DeviceSums {
        private long samples;
        private final DoubleSummaryStatistics utilization = new DoubleSummaryStatistics();
        private final LongSummaryStatistics memory = new LongSummaryStatistics();
        private final DoubleSummaryStatistics power = new DoubleSummaryStatistics();
        private final DoubleSummaryStatistics temperature = new DoubleSummaryStatistics();

        private void add(Telemetry.DeviceMeasurement sample) {
            samples++;
            sample.utilizationPercent().ifPresent(utilization);
            sample.memoryUsedBytes().ifPresent(memory);
            sample.powerWatts().ifPresent(power);
            sample.temperatureCelsius().ifPresent(temperature);
        }
    }

    /**
     * Archives the complete hours that the archive does not have. Hours of an earlier build get their manifests.
     *
     * @return number of archived hours
     * @throws AuditException if the log cannot be read, or the archive cannot be written
     */
    public int run(Instant now) {
        files.sealEarlier(release);
        Instant end = now.minus(LATE).truncatedTo(ChronoUnit.HOURS);
        int written = 0;
        for (Instant hour = nextHour().orElse(end); hour.isBefore(end); hour = hour.plus(1, ChronoUnit.HOURS)) {
            HourSums sums = aggregate(hour);
            if (!sums.devices.isEmpty()) {
                write(hour, sums);
                written++;
            }
        }
        return written;
    }

    /** The first hour that the archive lacks and the topic has; empty if the topic has no record. */
    private Optional<Instant> nextHour() {
        Optional<Instant> archived = files.last().map(last -> last.hour().plus(1, ChronoUnit.HOURS));
        return firstHour().map(hour -> archived.filter(hour::isBefore).orElse(hour));
    }

    /** The hour of the first record that the topic still has. */
    private Optional<Instant> firstHour() {
        var first = new TreeMap<Instant, Integer>();
        for (int partition : log.partitions(Topics.TELEMETRY)) {
            log.forEach(
                    Topics.TELEMETRY,
                    partition,
                    log.begin(Topics.TELEMETRY, partition),
                    log.end(Topics.TELEMETRY, partition),
                    record -> {
                        first.put(record.timestamp().truncatedTo(ChronoUnit.HOURS), record.partition());
                        return false;
                    });
        }
        return first.isEmpty() ? Optional.empty() : Optional.of(first.firstKey());
    }

    private HourSums aggregate(Instant hour) {
        var sums = new HourSums();
        Instant end = hour.plus(1, ChronoUnit.HOURS);
        for (int partition : log.partitions(Topics.TELEMETRY)) {
            long from = log.offsetAt(Topics.TELEMETRY, partition, hour);
            long to = log.offsetAt(Topics.TELEMETRY, partition, end);
            sums.offsets.put(partition, new OffsetRange(from, to));
            log.forEach(Topics.TELEMETRY, partition, from, to, record -> {
                decoded(record).ifPresent(telemetry -> {
                    addSchema(sums, record);
                    telemetry
                            .samples()
                            .forEach(sample -> sums.devices
                                    .computeIfAbsent(
                                            new DeviceOnNode(telemetry.node(), sample.device()), _ -> new DeviceSums())
                                    .add(sample));
                });
                return true;
            });
        }
        return sums;
    }

    /** Keeps the schema of a value that could be decoded. */
    private void addSchema(HourSums sums, LogRecord record) {
        record.value().map(value -> ByteBuffer.wrap(value).getInt(1)).ifPresent(id -> {
            if (!sums.schemas.containsKey(id)) {
                log.schema(id).ifPresent(schema -> sums.schemas.put(id, schema.toString()));
            }
        });
    }

    /** An unreadable record is left out: telemetry never decides anything. */
    private Optional<Telemetry> decoded(LogRecord record) {
        return serde.read(record.topic(), record.value().orElse(null))
                        instanceof DecodeResult.Value<TelemetryRecord>(TelemetryRecord value)
                ? Optional.of(Telemetry.from(value))
                : Optional.empty();
    }

    private void write(Instant hour, HourSums sums) {
        try {
            Path draft = files.draft(hour);
            try {
                write(draft, hour, sums.devices);
                files.publish(hour, draft, sums.offsets, sums.schemas, release);
            } finally {
                Files.deleteIfExists(draft);
            }
        } catch (IOException e) {
            throw files.unwritable(hour, e);
        }
    }

    private static void write(Path draft, Instant hour, SortedMap<DeviceOnNode, DeviceSums> sums) throws IOException {
        try (var out = Files.newOutputStream(draft);
                var writer = new DataFileWriter<GenericRecord>(new GenericDatumWriter<>(SCHEMA))
                        .setCodec(CodecFactory.zstandardCodec(ZSTD_LEVEL))
                        .create(SCHEMA, out)) {
            for (var each : sums.entrySet()) {
                writer.append(record(hour, each.getKey(), each.getValue()));
            }
        }
    }

    private static GenericRecord record(Instant hour, DeviceOnNode key, DeviceSums sums) {
        var record = new GenericData.Record(SCHEMA);
        record.put("hour", hour.toEpochMilli());
        record.put("node", key.node());
        record.put("driver", key.device().driver());
        record.put("pool", key.device().pool());
        record.put("device", key.device().device());
        record.put("samples", sums.samples);
        if (sums.utilization.getCount() > 0) {
            record.put("utilizationMeanPercent", sums.utilization.getAverage());
            record.put("utilizationMaxPercent", sums.utilization.getMax());
        }
        if (sums.memory.getCount() > 0) {
            record.put("memoryMaxBytes", sums.memory.getMax());
        }
        if (sums.power.getCount() > 0) {
            record.put("powerMeanWatts", sums.power.getAverage());
        }
        if (sums.temperature.getCount() > 0) {
            record.put("temperatureMaxCelsius", sums.temperature.getMax());
        }
        return record;
    }

    /**
     * Passes the aggregates of an archive, in the order of hours, nodes and devices.
     *
     * @throws AuditException if a file is damaged or cannot be read
     */
    public static void forEach(ArchiveStore archive, Consumer<TelemetryHour> action) {
        forEach(archive, Instant.EPOCH, action, problem -> {
            throw new AuditException(problem);
        });
    }

    /**
     * Passes the aggregates of hours, in the order of hours, nodes and devices. Files without a manifest are the last ones.
     *
     * @param from earlier hours are left out
     * @param damaged receives a line for each hour whose file is damaged or missing, which is left out
     * @throws AuditException if a file cannot be read
     */
    public static void forEach(
            ArchiveStore archive, Instant from, Consumer<TelemetryHour> action, Consumer<String> damaged) {
        var files = new TelemetryFiles(archive);
        for (TelemetryManifest hour : files.all()) {
            if (!hour.hour().isBefore(from)) {
                hour.damage().ifPresentOrElse(damaged, () -> read(hour.file(), action));
            }
        }
        files.unsealed()
                .forEach(file -> read(file, hour -> {
                    if (!hour.hour().isBefore(from)) {
                        action.accept(hour);
                    }
                }));
    }

    private static void read(StoredFile file, Consumer<TelemetryHour> action) {
        try (var records = new DataFileStream<GenericRecord>(file.open(), new GenericDatumReader<>(null, SCHEMA))) {
            records.forEach(record -> action.accept(of(record)));
        } catch (IOException e) {
            throw file.unreadable(e);
        } catch (AvroRuntimeException e) {
            throw new AuditException(
                    "%s cannot be decoded: %s. Restore the file from a copy, or delete it."
                            .formatted(file, e.getMessage()),
                    e);
        }
    }

    private static TelemetryHour of(GenericRecord record) {
        return new TelemetryHour(
                Instant.ofEpochMilli((long) record.get("hour")),
                record.get("node").toString(),
                new DeviceId(
                        record.get("driver").toString(),
                        record.get("pool").toString(),
                        record.get("device").toString()),
                (long) record.get("samples"),
                number(record.get("utilizationMeanPercent")),
                number(record.get("utilizationMaxPercent")),
                record.get("memoryMaxBytes") instanceof Long bytes ? OptionalLong.of(bytes) : OptionalLong.empty(),
                number(record.get("powerMeanWatts")),
                number(record.get("temperatureMaxCelsius")));
    }

    private static OptionalDouble number(@Nullable Object value) {
        return value instanceof Double number ? OptionalDouble.of(number) : OptionalDouble.empty();
    }
}
