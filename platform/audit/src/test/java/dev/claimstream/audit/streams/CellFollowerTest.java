package dev.claimstream.audit.streams;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.claimstream.allocation.cell.CellIdentity;
import dev.claimstream.audit.AuditException;
import dev.claimstream.audit.LogVerifier;
import dev.claimstream.audit.MemoryLog;
import dev.claimstream.kafka.AvroSerde;
import dev.claimstream.kafka.Topics;
import dev.claimstream.kafka.ValueCompressor;
import dev.claimstream.schemas.StateHeaderRecord;
import dev.claimstream.schemas.StateRow;
import dev.claimstream.selectors.CelSelectors;
import dev.claimstream.wire.StateRowCodec;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

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
        assertThat(CellFollower.cells(log)).containsExactly(CellIdentity.SINGLE);
        Instant middle = log.of(LogVerifier.INPUTS, 0).get((int) inputs / 2).timestamp();
        CellFollower early = follower(log);
        early.catchUpTo(middle);
        assertThat(early.at().orElseThrow()).isBeforeOrEqualTo(middle);
        assertThat(early.offset()).isLessThan(inputs - 1);
        CellFollower late = follower(log);
        late.catchUpTo(Instant.MAX);
        assertThat(late.cell().state().rows()).isEqualTo(whole.cell().state().rows());
        assertThat(early.cell().state().rows())
                .isNotEqualTo(whole.cell().state().rows());
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

    /** The rows of the allocator are enough, also if the log has neither the first inputs nor a rebuild. */
    @ParameterizedTest
    @ValueSource(ints = {-20, 0, 20}) // before the rebuild, at it, and after it
    void beginsAtRowsOfChangelog(int distance) {
        MemoryLog log = RecordedCell.random(4, STEPS).log();
        CellFollower whole = follower(log);
        long middle = log.end(LogVerifier.INPUTS, 0) / 2 + distance;
        Instant time = log.of(LogVerifier.INPUTS, 0).get((int) middle).timestamp();
        CellFollower early = follower(log);
        early.catchUpTo(time);
        replaceRows(log, early);
        whole.catchUp();
        log.expire(LogVerifier.INPUTS, 0, (int) middle);
        CellFollower warm = CellFollower.atEnd(log, new CelSelectors(), CellIdentity.SINGLE);
        assertThat(warm.offset()).isEqualTo(early.offset());
        assertThat(warm.at()).isEqualTo(early.at());
        assertThat(warm.cell().state().rows()).isEqualTo(early.cell().state().rows());
        warm.catchUp();
        assertThat(warm.cell().state().rows()).isEqualTo(whole.cell().state().rows());
    }

    /** Replaces the rows by those at a time, as the allocator stores them: with a header, and each row twice, as before compaction. */
    private static void replaceRows(MemoryLog log, CellFollower follower) {
        var serde = AvroSerde.of(StateRow.class, log.registry());
        Instant at = follower.at().orElseThrow();
        var compressor = new ValueCompressor();
        log.replace(Topics.CELL_CHANGELOG, 0, List.of());
        follower.cell().state().rows().forEach((key, row) -> {
            byte[] value = compressor.compress(serde.write("cell-rows", StateRowCodec.to(row)));
            log.add(Topics.CELL_CHANGELOG, 0, at.minusSeconds(1), key.getBytes(StandardCharsets.UTF_8), value);
            log.add(Topics.CELL_CHANGELOG, 0, at, key.getBytes(StandardCharsets.UTF_8), value);
        });
        boolean hasRows = !follower.cell().state().rows().isEmpty();
        StateRow header = StateRow.newBuilder()
                .setHeader(
                        new StateHeaderRecord(StateRowCodec.FORMAT, "engine", "log", hasRows ? -1L : follower.offset()))
                .build();
        log.add(
                Topics.CELL_CHANGELOG,
                0,
                at,
                "header".getBytes(StandardCharsets.UTF_8),
                serde.write("cell-rows", header));
    }

    @Test
    void rejectsLogWithoutBeginningAndRebuild() {
        MemoryLog log = RecordedCell.random(4, STEPS).log();
        log.replace(Topics.CELL_CHANGELOG, 0, List.of());
        log.expire(LogVerifier.INPUTS, 0, (int) (log.end(LogVerifier.INPUTS, 0) - 50));
        assertThatThrownBy(() -> CellFollower.atEnd(log, new CelSelectors(), CellIdentity.SINGLE))
                .isInstanceOf(AuditException.class)
                .hasMessageContaining("has no rebuild after it");
    }

    @Test
    void rejectsLogThatLostNextInput() {
        MemoryLog log = RecordedCell.random(4, STEPS).log();
        CellFollower late = follower(log);
        log.expire(LogVerifier.INPUTS, 0, 20);
        assertThatThrownBy(late::catchUp)
                .isInstanceOf(AuditException.class)
                .hasMessageContaining("and the next input is 0: the topic was created again, or the input was deleted");
    }
}
