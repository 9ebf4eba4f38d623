package dev.claimstream.audit.streams;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.claimstream.allocation.cell.CellIdentity;
import dev.claimstream.audit.AuditException;
import dev.claimstream.audit.LogVerifier;
import dev.claimstream.audit.MemoryLog;
import dev.claimstream.selectors.CelSelectors;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** Cells that follow recorded inputs to the end, in parts, and to a time. */
final class CellFollowerTest {
    private static final int STEPS = 300;

    private static CellFollower follower(MemoryLog log) {
        return new CellFollower(log, new CelSelectors(), CellIdentity.SINGLE);
    }

    @Test
    void hasSameStateInPartsAsAtOnce() {
        MemoryLog log = RecordedCell.random(5, STEPS).log();
        CellFollower whole = follower(log);
        long inputs = log.end(LogVerifier.INPUTS, 0);
        assertThat(whole.catchUp()).isEqualTo(inputs);
        assertThat(whole.catchUp()).isZero();
        assertThat(whole.offset()).isEqualTo(inputs - 1);
        assertThat(CellFollower.ofAll(log, new CelSelectors())).hasSize(1);
        Instant middle = log.of(LogVerifier.INPUTS, 0).get((int) inputs / 2).timestamp();
        CellFollower early = follower(log);
        early.catchUpTo(middle);
        assertThat(early.at().orElseThrow()).isBeforeOrEqualTo(middle);
        assertThat(early.offset()).isLessThan(inputs - 1);
        CellFollower late = follower(log);
        late.catchUpTo(Instant.MAX);
        assertThat(late.cell().state().rows()).isEqualTo(whole.cell().state().rows());
        assertThat(early.cell().state().rows()).isNotEqualTo(whole.cell().state().rows());
    }

    @Test
    void rejectsTimeBeforeLogBegins() {
        MemoryLog log = RecordedCell.random(5, STEPS).log();
        Instant before = log.of(LogVerifier.INPUTS, 0).getFirst().timestamp().minusSeconds(3600);
        assertThatThrownBy(() -> follower(log).catchUpTo(before))
                .isInstanceOf(AuditException.class)
                .hasMessageContaining("has no input at or before %s (UTC); it begins at ".formatted(before))
                .hasMessageContaining("or an archive with earlier inputs");
    }

    @Test
    void beginsAtRebuildAfterRetention() {
        MemoryLog log = RecordedCell.random(4, STEPS).log();
        CellFollower whole = follower(log);
        whole.catchUp();
        log.expire(LogVerifier.INPUTS, 0, 100);
        CellFollower rest = follower(log);
        rest.catchUp();
        assertThat(rest.cell().state().rows()).isEqualTo(whole.cell().state().rows());
    }

    @Test
    void rejectsLogWithoutBeginningAndRebuild() {
        MemoryLog log = RecordedCell.random(4, STEPS).log();
        log.expire(LogVerifier.INPUTS, 0, (int) (log.end(LogVerifier.INPUTS, 0) - 50));
        assertThatThrownBy(() -> follower(log))
                .isInstanceOf(AuditException.class)
                .hasMessageContaining("has no rebuild after it");
    }
}
