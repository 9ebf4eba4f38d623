package dev.claimstream.audit.streams;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.audit.LogVerifier;
import dev.claimstream.audit.MemoryLog;
import dev.claimstream.selectors.CelSelectors;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Shadows of a cell whose log grows. */
final class ShadowReplayTest {
    private static final int STEPS = 300;

    private final MemoryLog whole = RecordedCell.random(2, STEPS).log();
    private final GrowingLog growing = new GrowingLog(whole);

    @Test
    void followsGrowingLog() {
        var shadow = new ShadowReplay(growing.log(), new CelSelectors(), Optional.empty());
        assertThat(shadow.advance()).isEmpty();
        assertThat(shadow.inputs()).isZero();
        int all = whole.of(LogVerifier.INPUTS, 0).size();
        for (int inputs = 10; inputs < all; inputs += 37) {
            growing.grow(inputs);
            assertThat(shadow.advance()).isEmpty();
            assertThat(shadow.inputs()).isLessThanOrEqualTo(inputs);
        }
        growing.complete();
        assertThat(shadow.advance()).isEmpty();
        assertThat(shadow.inputs()).isGreaterThan(all - 50);
    }
}
