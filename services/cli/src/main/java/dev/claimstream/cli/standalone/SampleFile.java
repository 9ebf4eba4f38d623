package dev.claimstream.cli.standalone;

import dev.claimstream.cli.output.RunFailure;
import dev.claimstream.dra.DeviceId;
import dev.claimstream.wire.Telemetry;
import dev.claimstream.wire.Telemetry.DeviceMeasurement;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Telemetry of a simulated cluster. Each line of the file is {@code DRIVER/POOL/DEVICE PERCENT [USED/TOTAL [WATTS]]}, with memory in GiB;
 * empty lines and lines that begin with {@code #} do not count.
 */
public record SampleFile(List<DeviceMeasurement> measurements) {
    private static final Pattern LINE = Pattern.compile(
            "([^/\\s]+)/(\\S+)/([^/\\s]+)\\s+(\\d{1,3})(?:\\s+(\\d{1,6})/(\\d{1,6})(?:\\s+(\\d{1,6}))?)?");
    private static final int PERCENT_MAX = 100;
    private static final long GIB = 1L << 30;

    public SampleFile {
        measurements = List.copyOf(measurements);
    }

    /**
     * Reads a file.
     *
     * @throws RunFailure if it cannot be read, or a line is malformed; the message names file, line and format
     */
    public static SampleFile read(Path file) {
        try {
            List<DeviceMeasurement> samples = new ArrayList<>();
            List<String> lines = Files.readAllLines(file);
            for (int i = 0; i < lines.size(); i++) {
                String line = lines.get(i).strip();
                if (!line.isEmpty() && !line.startsWith("#")) {
                    samples.add(sample(file, i + 1, line));
                }
            }
            return new SampleFile(samples);
        } catch (IOException e) {
            throw new RunFailure("--telemetry %s cannot be read: name a text file in UTF-8".formatted(file));
        }
    }

    /** Returns the samples as heartbeats of a sender, each of which fits in a Kafka record. */
    List<Telemetry> telemetry(String sender, Instant at) {
        return new Telemetry(sender, at, measurements).parts();
    }

    private static DeviceMeasurement sample(Path file, int number, String line) {
        Matcher parts = LINE.matcher(line);
        if (!parts.matches() || Integer.parseInt(parts.group(4)) > PERCENT_MAX || usesMoreThanTotal(parts)) {
            throw new RunFailure(
                    "%s:%d: %s is not DRIVER/POOL/DEVICE PERCENT [USED/TOTAL [WATTS]], as in gpu.example.com/node-1/gpu-0 87 70/80 535"
                            .formatted(file, number, line));
        }
        return new DeviceMeasurement(
                new DeviceId(parts.group(1), parts.group(2), parts.group(3)),
                Optional.empty(),
                OptionalDouble.of(Integer.parseInt(parts.group(4))),
                bytes(parts.group(5)),
                bytes(parts.group(6)),
                parts.group(7) == null ? OptionalDouble.empty() : OptionalDouble.of(Integer.parseInt(parts.group(7))),
                OptionalDouble.empty(),
                new TreeMap<>());
    }

    private static boolean usesMoreThanTotal(Matcher parts) {
        return parts.group(5) != null && Integer.parseInt(parts.group(5)) > Integer.parseInt(parts.group(6));
    }

    private static OptionalLong bytes(@Nullable String gib) {
        return gib == null ? OptionalLong.empty() : OptionalLong.of(Long.parseLong(gib) * GIB);
    }
}
