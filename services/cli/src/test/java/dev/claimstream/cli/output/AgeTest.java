package dev.claimstream.cli.output;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests ages in the format of kubectl. */
class AgeTest {
    @ParameterizedTest
    @CsvSource({
        "-5, 0s",
        "0, 0s",
        "119, 119s",
        "120, 2m",
        "125, 2m5s",
        "599, 9m59s",
        "600, 10m",
        "10799, 179m",
        "10800, 3h",
        "11000, 3h3m",
        "28800, 8h",
        "172799, 47h",
        "172800, 2d",
        "180000, 2d2h",
        "691200, 8d",
        "63072000, 2y"
    })
    void formatsAgeLikeKubectl(long seconds, String text) {
        assertThat(Age.of(Duration.ofSeconds(seconds))).isEqualTo(text);
    }

    @Test
    void returnsUnknownWithoutTimestamp() {
        assertThat(Age.since("", InstantSource.fixed(Instant.EPOCH))).isEqualTo("<unknown>");
    }
}
