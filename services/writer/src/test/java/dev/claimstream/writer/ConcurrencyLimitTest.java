package dev.claimstream.writer;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Concurrency limit after successes and overloads. */
final class ConcurrencyLimitTest {
    private static void reportSuccess(ConcurrencyLimit pace, int times) {
        for (int i = 0; i < times; i++) {
            pace.onSuccess();
        }
    }

    private static void reportOverload(ConcurrencyLimit pace, int times) {
        for (int i = 0; i < times; i++) {
            pace.onOverload();
        }
    }

    @Test
    void growsByOnePerRoundUpToMaximum() {
        var pace = new ConcurrencyLimit(10);
        assertThat(pace.limit()).isEqualTo(8);
        reportSuccess(pace, 8);
        assertThat(pace.limit()).isEqualTo(9);
        reportSuccess(pace, 9);
        assertThat(pace.limit()).isEqualTo(10);
        reportSuccess(pace, 1000);
        assertThat(pace.limit()).isEqualTo(10);
    }

    @Test
    void halvesOncePerRoundOnOverload() {
        var pace = new ConcurrencyLimit(32);
        reportOverload(pace, 1);
        assertThat(pace.limit()).isEqualTo(4);
        reportOverload(pace, 4);
        assertThat(pace.limit()).isEqualTo(4);
        reportOverload(pace, 1);
        assertThat(pace.limit()).isEqualTo(2);
    }

    @Test
    void neverFallsBelowOne() {
        var pace = new ConcurrencyLimit(4);
        reportOverload(pace, 1000);
        assertThat(pace.limit()).isEqualTo(1);
        reportSuccess(pace, 1);
        assertThat(pace.limit()).isEqualTo(2);
    }
}
