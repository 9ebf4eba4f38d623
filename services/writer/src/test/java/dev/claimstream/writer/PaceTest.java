package dev.claimstream.writer;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class PaceTest {
    private static void well(Pace pace, int times) {
        for (int i = 0; i < times; i++) {
            pace.well();
        }
    }

    private static void strained(Pace pace, int times) {
        for (int i = 0; i < times; i++) {
            pace.strained();
        }
    }

    @Test
    void itGrowsByOnePerRoundUpToTheMost() {
        var pace = new Pace(10);
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
        var pace = new Pace(32);
        strained(pace, 1);
        assertThat(pace.limit()).isEqualTo(4);
        strained(pace, 4);
        assertThat(pace.limit()).isEqualTo(4);
        strained(pace, 1);
        assertThat(pace.limit()).isEqualTo(2);
    }

    @Test
    void itNeverStops() {
        var pace = new Pace(4);
        strained(pace, 1000);
        assertThat(pace.limit()).isEqualTo(1);
        well(pace, 1);
        assertThat(pace.limit()).isEqualTo(2);
    }
}
