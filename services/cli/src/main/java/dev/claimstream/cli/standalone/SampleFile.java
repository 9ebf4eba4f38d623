package dev.claimstream.cli.standalone;

import dev.claimstream.cli.output.RunFailure;
import dev.claimstream.dra.DeviceId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Telemetry of a simulated cluster. Each line of the file is {@code DRIVER/POOL/DEVICE PERCENT [USED/TOTAL [WATTS]]}, with memory in GiB;
 * empty lines and lines that begin with {@code #} do not count.
 *
 * @param lines a sample per device
 */
public record SampleFile(List<SampleLine> lines) {
    private static final Pattern LINE = Pattern.compile(
            "([^/\\s]+)/(\\S+)/([^/\\s]+)\\s+(\\d{1,3})(?:\\s+(\\d{1,6})/(\\d{1,6})(?:\\s+(\\d{1,6}))?)?");
    private static final int PERCENT_MAX = 100;

    public SampleFile {
        lines = List.copyOf(lines);
    }

    /**
     * The sample of a device.
     *
     * @param percent utilisation, 0 to 100
     * @param usedGib memory in use
     */
    public record SampleLine(
            DeviceId device, int percent, OptionalInt usedGib, OptionalInt totalGib, OptionalInt watts) {}

    /**
     * Reads a file.
     *
     * @throws RunFailure if it cannot be read, or a line is malformed; the message names file, line and format
     */
    public static SampleFile read(Path file) {
        try {
            List<SampleLine> samples = new ArrayList<>();
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

    private static SampleLine sample(Path file, int number, String line) {
        Matcher parts = LINE.matcher(line);
        if (!parts.matches() || Integer.parseInt(parts.group(4)) > PERCENT_MAX) {
            throw new RunFailure(
                    "%s:%d: %s is not DRIVER/POOL/DEVICE PERCENT [USED/TOTAL [WATTS]], as in gpu.example.com/node-1/gpu-0 87 70/80 535"
                            .formatted(file, number, line));
        }
        return new SampleLine(
                new DeviceId(parts.group(1), parts.group(2), parts.group(3)),
                Integer.parseInt(parts.group(4)),
                number(parts.group(5)),
                number(parts.group(6)),
                number(parts.group(7)));
    }

    private static OptionalInt number(@Nullable String text) {
        return text == null ? OptionalInt.empty() : OptionalInt.of(Integer.parseInt(text));
    }
}
