package dev.claimstream.writer;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Concurrency limit after successes and overloads. */
final class ConcurrencyLimitTest {
    private static void well(ConcurrencyLimit pace, int times) {
        for (int i = 0; i < times; i++) {
            pace.onSuccess();
        }
    }

    private static void strained(ConcurrencyLimit pace, int times) {
        for (int i = 0; i < times; i++) {
            pace.onOverload();
        }
    }

    @Test
    void itGrowsByOnePerRoundUpToTheMost() {
        var pace = new ConcurrencyLimit(10);
        assertThat(pace.limit()).isEqualTo(8);
        well(pace, 8);
        assertThat(pace.limit()).isEqualTo(9);
        well(pace, 9);
        assertThat(pace.limit()).isEqualTo(10);
        well(pace, 1000);
        assertThat(pace.limit()).isEqualTo(10);
    }

    @Test
    void theSignsOfOneRoundHalveItOnce() {
        var pace = new ConcurrencyLimit(32);
        strained(pace, 1);
        assertThat(pace.limit()).isEqualTo(4);
        strained(pace, 4);
        assertThat(pace.limit()).isEqualTo(4);
        strained(pace, 1);
        assertThat(pace.limit()).isEqualTo(2);
    }

    @Test
    void itNeverStops() {
        var pace = new ConcurrencyLimit(4);
        strained(pace, 1000);
        assertThat(pace.limit()).isEqualTo(1);
        well(pace, 1);
        assertThat(pace.limit()).isEqualTo(2);
    }
}
