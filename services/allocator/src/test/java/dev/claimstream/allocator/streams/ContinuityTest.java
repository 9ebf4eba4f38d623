package dev.claimstream.allocator.streams;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Optional;
import java.util.OptionalLong;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

/** State, log and offset in every way in which they can differ. */
final class ContinuityTest {
    private static final Optional<Note> STATE = Optional.of(Note.fresh("engine", "log-1"));

    /** A log with an input at every offset from its begin to its end. */
    private record Full(Bearings now) implements CellLog {
        @Override
        public Bearings bearings(TopicPartition log) {
            return now;
        }

        @Override
        public boolean hasInputs(TopicPartition log, long from, long to) {
            return Math.max(from, now.begin()) < Math.min(to, now.end());
        }

        @Override
        public boolean isRebuild(TopicPartition log, long offset) {
            return false;
        }
    }

    private static Full log(String id, long begin, long end, long committed) {
        return new Full(new CellLog.Bearings(id, begin, end, OptionalLong.of(committed)));
    }

    private static void check(Full log, Optional<Note> note, long applied) {
        Continuity.ofCell(3, log).check(log.now, note, applied);
    }

    @Test
    void aFirstStartIsFine() {
        assertThatCode(() -> check(log("log-1", 0, 0, 0), Optional.empty(), -1)).doesNotThrowAnyException();
        assertThatCode(() -> check(log("log-1", 0, 100, 0), Optional.empty(), -1))
                .doesNotThrowAnyException();
    }

    @Test
    void aStateThatStandsWhereItsOffsetDoesIsFine() {
        assertThatCode(() -> check(log("log-1", 0, 100, 50), STATE, 49)).doesNotThrowAnyException();
        assertThatCode(() -> check(log("log-1", 50, 100, 50), STATE, 49)).doesNotThrowAnyException();
        assertThatCode(() -> check(log("log-1", 0, 50, 50), STATE, 49)).doesNotThrowAnyException();
    }

    /** Somebody has set it back: what was applied is skipped. */
    @Test
    void anOffsetBeforeTheStateIsFine() {
        assertThatCode(() -> check(log("log-1", 0, 100, 0), STATE, 49)).doesNotThrowAnyException();
    }

    @Test
    void anEmptyStateWithAnOffsetIsALostChangelog() {
        assertThatThrownBy(() -> check(log("log-1", 0, 100, 50), Optional.empty(), -1))
                .isInstanceOf(Discontinuity.class)
                .hasMessageContaining("cell 3: its state is empty, and inputs up to offset 49 were applied")
                .hasMessageContaining("claimstream.allocator.rebuild=true");
    }

    @Test
    void anEmptyStateOfALogWithoutItsBeginningIsNotAFirstStart() {
        assertThatThrownBy(() -> check(log("log-1", 10, 100, 10), Optional.empty(), -1))
                .hasMessageContaining("the log begins at offset 10");
    }

    @Test
    void aLogThatBeginsBehindTheStateHasAGap() {
        assertThatThrownBy(() -> check(log("log-1", 60, 100, 60), STATE, 49))
                .hasMessageContaining("the log begins at offset 60, and its state has applied only up to 49");
    }

    @Test
    void aLogThatEndsBeforeTheStateHasLostRecords() {
        assertThatThrownBy(() -> check(log("log-1", 0, 49, 50), STATE, 49))
                .hasMessageContaining("the log ends at offset 49, and its state has applied offset 49");
    }

    /** However many records the new one has by now. */
    @Test
    void anotherTopicOfThatNameIsAnotherLog() {
        assertThatThrownBy(() -> check(log("log-2", 0, 100, 50), STATE, 49))
                .hasMessageContaining("cells.in was deleted and made again")
                .hasMessageContaining("id log-1, now log-2");
    }

    @Test
    void aStateBehindItsOffsetHasLostTheEndOfItsChangelog() {
        assertThatThrownBy(() -> check(log("log-1", 0, 100, 60), STATE, 49))
                .hasMessageContaining("applied inputs up to offset 49, and its group has committed 60");
    }

    @Test
    void rowsOfAnotherFormAreNotRead() {
        var older = new Note(0, "engine", "log-1", -1, java.nio.ByteBuffer.allocate(0));
        assertThatThrownBy(() -> check(log("log-1", 0, 100, 50), Optional.of(older), 49))
                .hasMessageContaining("its state has format 0, this program reads formats 1 to 2");
    }

    @Test
    void rowsOfTheFormBeforeAreReadAndOfALaterOneAreNot() {
        var before = new Note(1, "engine", "log-1", -1, java.nio.ByteBuffer.allocate(0));
        check(log("log-1", 0, 100, 50), Optional.of(before), 49);
        assertThat(before.by("engine").format()).isEqualTo(Note.FORMAT);
        var later = new Note(Note.FORMAT + 1, "engine", "log-1", -1, java.nio.ByteBuffer.allocate(0));
        assertThatThrownBy(() -> check(log("log-1", 0, 100, 50), Optional.of(later), 49))
                .hasMessageContaining("its state has format 3, this program reads formats 1 to 2");
    }
}
