package dev.claimstream.cli.standalone;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.claimstream.cli.output.RunFailure;
import dev.claimstream.dra.DeviceId;
import dev.claimstream.wire.Telemetry;
import dev.claimstream.wire.Telemetry.DeviceMeasurement;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the file of {@code up --telemetry}. */
class SampleFileTest {
    @TempDir
    private Path folder = Path.of("");

    private SampleFile read(String text) throws IOException {
        return SampleFile.read(Files.writeString(folder.resolve("telemetry.txt"), text));
    }

    @Test
    void readsSamplesWithAndWithoutMemoryAndPower() throws IOException {
        assertThat(read("""
                # comment

                gpu.example.com/node-1/gpu-0 87 70/80 535
                gpu.example.com/rack/1/gpu-1  0
                """).measurements())
                .extracting(
                        DeviceMeasurement::device,
                        DeviceMeasurement::utilizationPercent,
                        DeviceMeasurement::memoryUsedBytes,
                        DeviceMeasurement::memoryTotalBytes,
                        DeviceMeasurement::powerWatts)
                .containsExactly(
                        tuple(
                                new DeviceId("gpu.example.com", "node-1", "gpu-0"),
                                OptionalDouble.of(87),
                                OptionalLong.of(70L << 30),
                                OptionalLong.of(80L << 30),
                                OptionalDouble.of(535)),
                        tuple(
                                new DeviceId("gpu.example.com", "rack/1", "gpu-1"),
                                OptionalDouble.of(0),
                                OptionalLong.empty(),
                                OptionalLong.empty(),
                                OptionalDouble.empty()));
    }

    @Test
    void splitsLargeFileIntoHeartbeats() throws IOException {
        SampleFile file = read(IntStream.range(0, 10_050)
                .mapToObj("gpu.example.com/node/gpu-%d 87 70/80 535%n"::formatted)
                .collect(Collectors.joining()));
        List<Telemetry> parts = file.telemetry("telemetry-file", Instant.EPOCH);
        assertThat(parts).hasSizeGreaterThan(1).allMatch(each -> each.node().equals("telemetry-file"));
        assertThat(parts.stream().flatMap(each -> each.samples().stream()))
                .containsExactlyElementsOf(file.measurements());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "gpu-0 5",
                "gpu.example.com/node-1/gpu-0",
                "gpu.example.com/node-1/gpu-0 101",
                "gpu.example.com/node-1/gpu-0 -1",
                "gpu.example.com/node-1/gpu-0 5 70",
                "gpu.example.com/node-1/gpu-0 5 81/80"
            })
    void namesFileLineAndFormatOfMalformedLine(String line) {
        assertThatThrownBy(() -> read("# first\n" + line + "\n"))
                .isInstanceOf(RunFailure.class)
                .hasMessageContaining("telemetry.txt:2: " + line + " is not DRIVER/POOL/DEVICE PERCENT");
    }

    @Test
    void namesMissingFile() {
        assertThatThrownBy(() -> SampleFile.read(folder.resolve("missing.txt")))
                .isInstanceOf(RunFailure.class)
                .hasMessageContaining("missing.txt cannot be read");
    }
}
