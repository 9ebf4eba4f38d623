package dev.claimstream.audit.streams;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.claimstream.allocation.cell.CellSettings;
import dev.claimstream.allocation.cell.Input;
import dev.claimstream.allocation.cell.Observation;
import dev.claimstream.allocation.solver.PlacementPolicy;
import dev.claimstream.audit.ArchiveLog;
import dev.claimstream.audit.Archiver;
import dev.claimstream.audit.Archiver.SegmentLimits;
import dev.claimstream.audit.AuditException;
import dev.claimstream.audit.LogRecord;
import dev.claimstream.audit.LogVerifier;
import dev.claimstream.audit.LogVerifier.TimeRange;
import dev.claimstream.audit.MemoryLog;
import dev.claimstream.audit.streams.LogReplay.CellSummary;
import dev.claimstream.audit.streams.LogReplay.ReplayReport;
import dev.claimstream.selectors.CelSelectors;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Replays of recorded cells: equal, with another tie-break, and with other inputs than were recorded. */
final class LogReplayTest {
    private static final int STEPS = 400;

    static LongStream seeds() {
        return LongStream.range(0, Integer.getInteger("replay.seeds", 3));
    }

    private static ReplayReport replay(MemoryLog log) {
        return new LogReplay(log, new CelSelectors()).run();
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void equalsLedger(long seed) {
        MemoryLog log = RecordedCell.random(seed, STEPS).log();
        assertThat(LogVerifier.verify(log, TimeRange.ALL).findings()).isEmpty();
        ReplayReport report = replay(log);
        assertThat(report.divergence()).isEmpty();
        CellSummary cell = report.cells().getFirst();
        assertThat(cell.events()).isEqualTo(log.of(LogVerifier.LEDGER, 0).size());
        assertThat(cell.snapshots()).isGreaterThan(STEPS / 100);
        assertThat(cell.head())
                .isEqualTo(LogVerifier.verify(log, TimeRange.ALL)
                        .ledgers()
                        .getFirst()
                        .head());
        assertThat(cell.engines()).containsExactly("engine-of-the-test");
    }

    @Test
    void equalsLedgerOfArchiveAlone(@TempDir Path folder) {
        MemoryLog log = RecordedCell.random(7, STEPS).log();
        try (var archiver = new Archiver(log, folder, new SegmentLimits(100, 1 << 20), "0.1", _ -> {})) {
            archiver.run();
        }
        ReplayReport report = new LogReplay(new ArchiveLog(folder), new CelSelectors()).run();
        assertThat(report.divergence()).isEmpty();
        assertThat(report.cells()).isEqualTo(replay(log).cells());
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void namesClaimThatOtherTieBreakPlacesElsewhere(long seed) {
        MemoryLog log = RecordedCell.withoutSnapshots(seed, STEPS).log();
        ReplayReport report = new LogReplay(log, new CelSelectors(), mutatedTieBreak()).run();
        Divergence divergence = report.divergence().orElseThrow();
        assertThat(divergence.recorded()).anyMatch(each -> each.startsWith("allocated claim team/claim-"));
        assertThat(divergence.replayed())
                .anyMatch(each -> each.startsWith("allocated claim team/claim-"))
                .isNotEqualTo(divergence.recorded());
        assertThat(divergence.inputText()).isNotEmpty();
    }

    /** Runs the cell with another policy, so that nodes that fit are chosen in another order. */
    private static UnaryOperator<Input> mutatedTieBreak() {
        var other = CellSettings.builder().policy(PlacementPolicy.FIRST_FIT).build();
        return input -> input.observation() instanceof Observation.SettingsChanged
                ? new Input(input.offset(), input.at(), new Observation.SettingsChanged(other))
                : input;
    }

    @Test
    void findsChangedInput() {
        MemoryLog log = RecordedCell.random(3, STEPS).log();
        List<LogRecord> inputs = new ArrayList<>(log.of(LogVerifier.INPUTS, 0));
        inputs.set(5, inputs.get(4)); // node-1 comes twice, and its slice never
        log.replace(LogVerifier.INPUTS, 0, inputs);
        assertThat(replay(log).divergence()).isPresent();
    }

    @Test
    void startsAtRebuildAfterRetention() {
        MemoryLog log = RecordedCell.random(4, STEPS).log();
        log.expire(LogVerifier.INPUTS, 0, 100);
        ReplayReport report = replay(log);
        assertThat(report.divergence()).isEmpty();
        assertThat(report.cells().getFirst().from()).isGreaterThan(100);
        assertThat(report.cells().getFirst().events()).isPositive();
    }

    @Test
    void rejectsInputsWithoutBeginningAndRebuild() {
        MemoryLog log = RecordedCell.random(4, STEPS).log();
        log.expire(LogVerifier.INPUTS, 0, (int) (log.end(LogVerifier.INPUTS, 0) - 100));
        assertThatThrownBy(() -> replay(log))
                .isInstanceOf(AuditException.class)
                .hasMessageContaining("has no rebuild after it");
    }
}
