package dev.claimstream.audit.streams;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.audit.FolderStore;
import dev.claimstream.audit.MemoryLog;
import dev.claimstream.dra.DeviceId;
import dev.claimstream.kafka.AvroSerde;
import dev.claimstream.kafka.Topics;
import dev.claimstream.kafka.registry.SchemaRegistry;
import dev.claimstream.schemas.TelemetryRecord;
import dev.claimstream.wire.Telemetry;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Hourly aggregates: complete hours only, once, with the values of each device. */
final class TelemetryArchiveTest {
    private static final Instant HOUR = Instant.parse("2026-03-01T12:00:00Z");
    private static final DeviceId GPU = new DeviceId("gpu.example.com", "node-1", "gpu-0");

    @TempDir
    private Path folder = Path.of("");

    private final SchemaRegistry registry = SchemaRegistry.inMemory();
    private final AvroSerde<TelemetryRecord> serde = AvroSerde.of(TelemetryRecord.class, registry);
    private final MemoryLog log = new MemoryLog(registry);

    private void add(Duration after, OptionalDouble utilization, long memory) {
        Instant at = HOUR.plus(after);
        var sample = new Telemetry.DeviceMeasurement(
                GPU,
                Optional.empty(),
                utilization,
                OptionalLong.of(memory),
                OptionalLong.empty(),
                OptionalDouble.of(200),
                OptionalDouble.empty(),
                new TreeMap<>());
        log.add(
                Topics.TELEMETRY,
                0,
                at,
                new byte[0],
                serde.write(Topics.TELEMETRY, new Telemetry("node-1", at, List.of(sample)).toRecord()));
    }

    private List<TelemetryHour> hours() {
        List<TelemetryHour> hours = new ArrayList<>();
        TelemetryArchive.forEach(new FolderStore(folder), hours::add);
        return hours;
    }

    @Test
    void archivesCompleteHoursOnce() {
        add(Duration.ofMinutes(1), OptionalDouble.of(20), 5);
        add(Duration.ofMinutes(59), OptionalDouble.of(60), 9);
        add(Duration.ofMinutes(59), OptionalDouble.empty(), 7);
        add(Duration.ofMinutes(61), OptionalDouble.of(90), 1);
        add(Duration.ofMinutes(190), OptionalDouble.of(10), 1);
        var archive = new TelemetryArchive(log, new FolderStore(folder), "0.1");
        assertThat(archive.run(HOUR.plus(Duration.ofMinutes(61))))
                .as("late records may come")
                .isZero();
        assertThat(archive.run(HOUR.plus(Duration.ofMinutes(62)))).isEqualTo(1);
        assertThat(hours())
                .containsExactly(new TelemetryHour(
                        HOUR,
                        "node-1",
                        GPU,
                        3,
                        OptionalDouble.of(40),
                        OptionalDouble.of(60),
                        OptionalLong.of(9),
                        OptionalDouble.of(200),
                        OptionalDouble.empty()));
        assertThat(archive.run(HOUR.plus(Duration.ofMinutes(62)))).isZero();
        assertThat(archive.run(HOUR.plus(Duration.ofHours(5)))).isEqualTo(2);
        assertThat(hours())
                .extracting(TelemetryHour::hour)
                .containsExactly(HOUR, HOUR.plus(Duration.ofHours(1)), HOUR.plus(Duration.ofHours(3)));
    }

    @Test
    void archivesNothingWithoutTelemetry() {
        assertThat(new TelemetryArchive(log, new FolderStore(folder), "0.1").run(HOUR))
                .isZero();
        assertThat(hours()).isEmpty();
    }
}
