package dev.claimstream.observability;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The table of meters in README.md matches {@link Meter}. */
final class MetersPageTest {
    @Test
    void readmeListsExactlyTheMeters() throws IOException {
        List<String> rows = Files.readAllLines(Path.of("README.md")).stream()
                .filter(line -> line.startsWith("| `claimstream_"))
                .toList();
        assertThat(rows)
                .containsExactlyElementsOf(
                        Arrays.stream(Meter.values()).map(MetersPageTest::row).toList());
    }

    private static String row(Meter meter) {
        return "| `%s` | %s | %s | %s |"
                .formatted(
                        meter.prometheusName(),
                        meter.type().text(),
                        meter.labels().isEmpty() ? "–" : String.join(", ", meter.labels()),
                        meter.meaning());
    }
}
