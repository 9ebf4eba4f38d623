package dev.claimstream.audit.streams;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.audit.ArchiveLog;
import dev.claimstream.audit.ArchiveRetention;
import dev.claimstream.audit.ArchiveRetention.RetentionLimits;
import dev.claimstream.audit.AuditKeys;
import dev.claimstream.audit.CellSnapshot;
import dev.claimstream.audit.Checkpoint;
import dev.claimstream.audit.Checkpoints;
import dev.claimstream.audit.FolderStore;
import dev.claimstream.audit.LegalHold;
import dev.claimstream.audit.LogVerifier;
import dev.claimstream.audit.LogVerifier.Report;
import dev.claimstream.audit.LogVerifier.TimeRange;
import dev.claimstream.audit.streams.LogReplay.CellSummary;
import dev.claimstream.audit.streams.LogReplay.ReplayReport;
import dev.claimstream.selectors.CelSelectors;
import java.security.PublicKey;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Reads everything in the {@link KeptFleetArchive}.
 *
 * <p>If a later engine decides otherwise on purpose, or the format of the rows changes, keep the archive, and expect the divergence here
 * with its reason.
 */
final class KeptFleetArchiveTest {
    private static final long EVENTS = 72;

    @BeforeAll
    static void writeIfAsked() throws Exception {
        if (Boolean.getBoolean("archive.write")) {
            KeptFleetArchive.write();
        }
    }

    @Test
    void isIntact() {
        try (ArchiveLog log = KeptFleetArchive.open()) {
            assertThat(log.problems()).isEmpty();
            Report report = LogVerifier.verify(log, TimeRange.ALL);
            assertThat(report.findings()).isEmpty();
            assertThat(report.ledgers()).hasSize(RecordedFleet.CELLS + 1).allMatch(each -> each.compared() > 0);
            assertThat(report.events()).isEqualTo(EVENTS);
        }
    }

    @Test
    void isDecidedAlike() {
        try (ArchiveLog log = KeptFleetArchive.open()) {
            ReplayReport report = new LogReplay(log, new CelSelectors()).run();
            assertThat(report.divergence()).isEmpty();
            assertThat(report.notReplayed()).isEmpty();
            assertThat(report.cells()).extracting(CellSummary::name).containsExactly("cell 0", "cell 1", "router");
            assertThat(report.cells().stream().mapToLong(CellSummary::events).sum())
                    .isEqualTo(EVENTS);
            assertThat(report.cells().subList(0, RecordedFleet.CELLS)).allMatch(each -> each.snapshots() > 0);
        }
    }

    @Test
    void isReplayedFromItsStates() {
        try (ArchiveLog log = KeptFleetArchive.open()) {
            Instant end = RecordedFleet.START.plus(Duration.ofDays(1));
            List<CellSnapshot> states = List.of(
                    log.snapshot(0, end).orElseThrow(), log.snapshot(1, end).orElseThrow());
            ReplayReport report =
                    new LogReplay(log, new CelSelectors(), new TimeRange(Optional.of(end), Optional.empty())).run();
            assertThat(report.divergence()).isEmpty();
            for (int cell = 0; cell < RecordedFleet.CELLS; cell++) {
                assertThat(report.cells().get(cell).from())
                        .isEqualTo(states.get(cell).input() + 1);
            }
        }
    }

    @Test
    void hasTheEventsOfItsCheckpoint() {
        List<String> passed = new ArrayList<>();
        PublicKey key = AuditKeys.publicKey(KeptFleetArchive.KEY);
        try (ArchiveLog log = KeptFleetArchive.open()) {
            Checkpoint checkpoint = log.lastCheckpoint(each -> each.isSignedBy(key), passed::add)
                    .orElseThrow();
            assertThat(passed).isEmpty();
            assertThat(checkpoint.ledgers()).hasSize(RecordedFleet.CELLS + 1);
            Checkpoints.CheckpointComparison comparison = Checkpoints.compare(log, checkpoint);
            assertThat(comparison.findings()).isEmpty();
            assertThat(comparison.notCompared()).isEmpty();
        }
    }

    @Test
    void hasTelemetryOfEachDevice() {
        List<TelemetryHour> hours = new ArrayList<>();
        TelemetryArchive.forEach(new FolderStore(KeptFleetArchive.FOLDER), hours::add);
        assertThat(hours)
                .hasSize(KeptFleetArchive.TELEMETRY_HOURS * RecordedFleet.NODES * RecordedFleet.DEVICES)
                .allMatch(each -> each.samples() == 6
                        && each.utilizationMean().isPresent()
                        && each.memoryMaxBytes().isPresent());
    }

    @Test
    void isUnderLegalHold() {
        var store = new FolderStore(KeptFleetArchive.FOLDER);
        assertThat(new LegalHold(store).reason()).contains(KeptFleetArchive.HOLD);
        assertThat(new ArchiveRetention(store, new RetentionLimits(Optional.empty(), Optional.of(1L)))
                        .run(Instant.now())
                        .notes())
                .containsExactly("nothing is deleted: legal hold: " + KeptFleetArchive.HOLD);
    }
}
