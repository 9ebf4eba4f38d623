package dev.claimstream.wire;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.dra.DeviceId;
import dev.claimstream.schemas.TelemetryRecord;
import java.io.IOException;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Tests that telemetry is equal after conversion to an Avro record, to bytes and back. */
final class TelemetryTest {
    /** The default of {@code max.request.size} of producers. */
    private static final int RECORD_BYTES_MAX = 1 << 20;

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

    @Test
    void partsFitInRecordsOfKafka() throws IOException {
        List<Telemetry.DeviceMeasurement> samples = IntStream.range(0, 10_050)
                .mapToObj(i -> new Telemetry.DeviceMeasurement(
                        new DeviceId("d".repeat(63), "p".repeat(253), "gpu-%059d".formatted(i)),
                        Optional.of("0000:3b:00.0"),
                        OptionalDouble.of(100),
                        OptionalLong.of(1L << 50),
                        OptionalLong.of(1L << 50),
                        OptionalDouble.of(535),
                        OptionalDouble.of(70),
                        new TreeMap<>()))
                .toList();
        var whole = new Telemetry("telemetry-file", Instant.EPOCH, samples);
        assertThat(bytes(whole)).isGreaterThan(RECORD_BYTES_MAX);
        assertThat(whole.parts()).hasSizeBetween(8, 20).allSatisfy(each -> {
            assertThat(bytes(each)).isBetween(1, RECORD_BYTES_MAX);
            assertThat(each.node()).isEqualTo(whole.node());
            assertThat(each.at()).isEqualTo(whole.at());
        });
        assertThat(whole.parts().stream().flatMap(each -> each.samples().stream()))
                .containsExactlyElementsOf(samples);
        assertThat(new Telemetry("a", Instant.EPOCH, List.of()).parts()).isEmpty();
    }

    /** Names of errors come from the files of vendors: their number and length have no limit. */
    @Test
    void partsWithManyErrorsFitInRecordsOfKafka() throws IOException {
        var errors = new TreeMap<String, Long>();
        IntStream.range(0, 200).forEach(i -> errors.put("ü".repeat(40) + i, Long.MAX_VALUE));
        var sample = new Telemetry.DeviceMeasurement(
                GPU,
                Optional.empty(),
                OptionalDouble.of(100),
                OptionalLong.empty(),
                OptionalLong.empty(),
                OptionalDouble.empty(),
                OptionalDouble.empty(),
                errors);
        var whole = new Telemetry("node-1", Instant.EPOCH, Collections.nCopies(1_000, sample));
        assertThat(bytes(whole)).isGreaterThan(RECORD_BYTES_MAX);
        assertThat(whole.parts()).allSatisfy(each -> assertThat(bytes(each)).isLessThan(RECORD_BYTES_MAX));
        assertThat(whole.parts().stream().flatMap(each -> each.samples().stream()))
                .hasSize(1_000);
    }

    private static int bytes(Telemetry telemetry) throws IOException {
        return telemetry.toRecord().toByteBuffer().remaining();
    }
}
