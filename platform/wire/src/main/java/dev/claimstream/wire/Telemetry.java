package dev.claimstream.wire;

import dev.claimstream.dra.DeviceId;
import dev.claimstream.schemas.DeviceIdRecord;
import dev.claimstream.schemas.DeviceSample;
import dev.claimstream.schemas.TelemetryRecord;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A heartbeat of a node's agent with the metrics of its devices. It may have no samples.
 *
 * @param at the time of the node's clock
 */
public record Telemetry(String node, Instant at, List<DeviceMeasurement> samples) {
    /** Size of a part. It is half of Kafka's default limit for a record. */
    private static final int PART_BYTES = 512 << 10;

    /** Upper limit of the bytes of an Avro number, or of the length before a text. */
    private static final int NUMBER_BYTES = 10;

    /** Numbers in a sample: metrics, branches of optional fields, and the counts of the error map. */
    private static final int SAMPLE_NUMBERS = 16;

    public Telemetry {
        samples = List.copyOf(samples);
    }

    /**
     * The metrics of one device in percent, bytes, watts and degrees Celsius.
     *
     * @param pciBusId the device attribute {@code resource.kubernetes.io/pciBusID}
     * @param errors error counts by name
     */
    public record DeviceMeasurement(
            DeviceId device,
            Optional<String> pciBusId,
            OptionalDouble utilizationPercent,
            OptionalLong memoryUsedBytes,
            OptionalLong memoryTotalBytes,
            OptionalDouble powerWatts,
            OptionalDouble temperatureCelsius,
            SortedMap<String, Long> errors) {
        public DeviceMeasurement {
            errors = Collections.unmodifiableSortedMap(new TreeMap<>(errors));
        }

        /** The upper limit of the encoded bytes. */
        private int bytesMax() {
            return SAMPLE_NUMBERS * NUMBER_BYTES
                    + textBytesMax(device.driver())
                    + textBytesMax(device.pool())
                    + textBytesMax(device.device())
                    + pciBusId.map(DeviceMeasurement::textBytesMax).orElse(0)
                    + errors.keySet().stream()
                            .mapToInt(name -> textBytesMax(name) + NUMBER_BYTES)
                            .sum();
        }

        private static int textBytesMax(String text) {
            return NUMBER_BYTES + text.getBytes(StandardCharsets.UTF_8).length;
        }
    }

    /**
     * Returns the same samples in heartbeats that each fit in a Kafka record; none without samples. A sample that is
     * larger than a record is a part of its own, which the producer rejects.
     */
    public List<Telemetry> parts() {
        List<Telemetry> parts = new ArrayList<>();
        int from = 0;
        long bytes = 0;
        for (int i = 0; i < samples.size(); i++) {
            int next = samples.get(i).bytesMax();
            if (i > from && bytes + next > PART_BYTES) {
                parts.add(new Telemetry(node, at, samples.subList(from, i)));
                from = i;
                bytes = 0;
            }
            bytes += next;
        }
        if (from < samples.size()) {
            parts.add(new Telemetry(node, at, samples.subList(from, samples.size())));
        }
        return parts;
    }

    /** Converts the telemetry to a record of {@code telemetry.v1}, with the time truncated to microseconds. */
    public TelemetryRecord toRecord() {
        return TelemetryRecord.newBuilder()
                .setNode(node)
                .setAt(at)
                .setSamples(samples.stream().map(Telemetry::record).toList())
                .build();
    }

    private static DeviceSample record(DeviceMeasurement sample) {
        var id = sample.device();
        return DeviceSample.newBuilder()
                .setDevice(new DeviceIdRecord(id.driver(), id.pool(), id.device()))
                .setPciBusId(sample.pciBusId().orElse(null))
                .setUtilizationPercent(boxed(sample.utilizationPercent()))
                .setMemoryUsedBytes(boxed(sample.memoryUsedBytes()))
                .setMemoryTotalBytes(boxed(sample.memoryTotalBytes()))
                .setPowerWatts(boxed(sample.powerWatts()))
                .setTemperatureCelsius(boxed(sample.temperatureCelsius()))
                .setErrors(new HashMap<>(sample.errors()))
                .build();
    }

    /** Converts a record of {@code telemetry.v1}. */
    public static Telemetry from(TelemetryRecord record) {
        return new Telemetry(
                record.getNode(),
                record.getAt(),
                record.getSamples().stream().map(Telemetry::sample).toList());
    }

    private static DeviceMeasurement sample(DeviceSample record) {
        var id = record.getDevice();
        return new DeviceMeasurement(
                new DeviceId(id.getDriver(), id.getPool(), id.getDevice()),
                record.getPciBusId(),
                number(record.getUtilizationPercent()),
                whole(record.getMemoryUsedBytes()),
                whole(record.getMemoryTotalBytes()),
                number(record.getPowerWatts()),
                number(record.getTemperatureCelsius()),
                new TreeMap<>(record.getErrors()));
    }

    private static @Nullable Double boxed(OptionalDouble value) {
        return value.isPresent() ? value.getAsDouble() : null;
    }

    private static @Nullable Long boxed(OptionalLong value) {
        return value.isPresent() ? value.getAsLong() : null;
    }

    private static OptionalDouble number(Optional<Double> value) {
        return value.map(OptionalDouble::of).orElse(OptionalDouble.empty());
    }

    private static OptionalLong whole(Optional<Long> value) {
        return value.map(OptionalLong::of).orElse(OptionalLong.empty());
    }
}
