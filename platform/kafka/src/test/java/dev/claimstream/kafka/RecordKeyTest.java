package dev.claimstream.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Record keys as text, with slashes and percent signs in their parts. */
class RecordKeyTest {
    @Test
    void joinsPartsAndEscapesSlashes() {
        assertThat(RecordKey.of("ResourceSlice", "racks/7", "slice-a").text())
                .isEqualTo("ResourceSlice/racks%2F7/slice-a");
        assertThat(RecordKey.parse("DeviceClass//gpu").parts()).containsExactly("DeviceClass", "", "gpu");
    }

    static LongStream seeds() {
        return LongStream.range(0, 200);
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void parsesTextBackToSameParts(long seed) {
        var random = new Random(seed);
        List<String> parts = IntStream.rangeClosed(0, random.nextInt(4))
                .mapToObj(i -> part(random))
                .toList();
        assertThat(RecordKey.parse(new RecordKey(parts).text()).parts()).isEqualTo(parts);
    }

    private static String part(Random random) {
        String letters = "/%25Fab-";
        var part = new StringBuilder();
        for (int i = random.nextInt(6); i > 0; i--) {
            part.append(letters.charAt(random.nextInt(letters.length())));
        }
        return part.toString();
    }
}
