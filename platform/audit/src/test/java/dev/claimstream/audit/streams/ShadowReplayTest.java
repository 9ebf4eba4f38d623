package dev.claimstream.audit.streams;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.audit.LogRecord;
import dev.claimstream.audit.LogVerifier;
import dev.claimstream.audit.MemoryLog;
import dev.claimstream.selectors.CelSelectors;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Shadows of a cell whose log grows: equal, and with another tie-break. */
final class ShadowReplayTest {
    private static final int STEPS = 300;

    private final MemoryLog whole = RecordedCell.withoutSnapshots(2, STEPS).log();
    private final MemoryLog growing = whole.copy();

    ShadowReplayTest() {
        growing.of(LogVerifier.LEDGER, 0).clear();
        growing.of(LogVerifier.INPUTS, 0).clear();
    }

    /** Adds records of the whole log up to an input, and the events of these inputs. */
    private void grow(int inputs) {
        copy(LogVerifier.INPUTS, inputs);
        int events = (int) whole.of(LogVerifier.LEDGER, 0).stream()
                .filter(each -> LogReplayTest.event(each, whole).getOffset() < inputs)
                .count();
        copy(LogVerifier.LEDGER, events);
    }

    private void copy(String topic, int count) {
        List<LogRecord> known = growing.of(topic, 0);
        known.addAll(whole.of(topic, 0).subList(known.size(), Math.max(known.size(), count)));
    }

    @Test
    void followsGrowingLog() {
        var shadow = new ShadowReplay(growing, new CelSelectors(), Optional.empty());
        assertThat(shadow.advance()).isEmpty();
        assertThat(shadow.inputs()).isZero();
        int all = whole.of(LogVerifier.INPUTS, 0).size();
        for (int inputs = 10; inputs < all; inputs += 37) {
            grow(inputs);
            assertThat(shadow.advance()).isEmpty();
            assertThat(shadow.inputs()).isLessThanOrEqualTo(inputs);
        }
        copy(LogVerifier.INPUTS, all);
        copy(LogVerifier.LEDGER, whole.of(LogVerifier.LEDGER, 0).size());
        assertThat(shadow.advance()).isEmpty();
        assertThat(shadow.inputs()).isGreaterThan(all - 50);
    }

    @Test
    void namesFirstClaimThatOtherTieBreakPlacesElsewhere() {
        var shadow = new ShadowReplay(growing, new CelSelectors(), Optional.empty(), LogReplayTest.mutatedTieBreak());
        var expected = new LogReplay(
                        whole, new CelSelectors(), LogVerifier.TimeRange.ALL, LogReplayTest.mutatedTieBreak())
                .run()
                .divergence()
                .orElseThrow();
        grow((int) expected.offset());
        assertThat(shadow.advance()).isEmpty();
        copy(LogVerifier.INPUTS, whole.of(LogVerifier.INPUTS, 0).size());
        copy(LogVerifier.LEDGER, whole.of(LogVerifier.LEDGER, 0).size());
        assertThat(shadow.advance()).containsExactly(expected);
        assertThat(expected.recorded()).anyMatch(each -> each.startsWith("allocated claim team/claim-"));
        assertThat(shadow.advance()).as("later calls").containsExactly(expected);
    }
}
