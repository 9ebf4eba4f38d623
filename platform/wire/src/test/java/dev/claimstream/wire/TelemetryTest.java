package dev.claimstream.wire;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.dra.DeviceId;
import dev.claimstream.schemas.TelemetryRecord;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Tests that telemetry is equal after conversion to an Avro record, to bytes and back. */
final class TelemetryTest {
    private static final DeviceId GPU = new DeviceId("gpu.example.com", "node-1", "gpu-0");

    @Test
    void restoresPresentAndAbsentMeasurements() throws IOException {
        var telemetry = new Telemetry(
                "node-1",
                Instant.parse("2026-01-01T00:00:00.123456Z"),
                List.of(
                        new Telemetry.DeviceMeasurement(
                                GPU,
                                Optional.of("0000:3b:00.0"),
                                OptionalDouble.of(12.5),
                                OptionalLong.of(1),
                                OptionalLong.of(2),
                                OptionalDouble.of(300),
                                OptionalDouble.of(41),
                                new TreeMap<>(Map.of("ecc-uncorrected", 3L))),
                        new Telemetry.DeviceMeasurement(
                                GPU,
                                Optional.empty(),
                                OptionalDouble.empty(),
                                OptionalLong.empty(),
                                OptionalLong.empty(),
                                OptionalDouble.empty(),
                                OptionalDouble.empty(),
                                new TreeMap<>())));
        var record = TelemetryRecord.fromByteBuffer(telemetry.toRecord().toByteBuffer());
        assertThat(Telemetry.from(record)).isEqualTo(telemetry);
    }
}
