package dev.claimstream.audit.streams;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.audit.ArchiveLog;
import dev.claimstream.audit.Archiver;
import dev.claimstream.audit.Archiver.SegmentLimits;
import dev.claimstream.audit.FolderStore;
import dev.claimstream.audit.LogVerifier;
import dev.claimstream.audit.LogVerifier.Report;
import dev.claimstream.audit.LogVerifier.TimeRange;
import dev.claimstream.audit.streams.LogReplay.CellSummary;
import dev.claimstream.selectors.CelSelectors;
import java.nio.file.Path;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Reads an archive of release 1.0.0, which is never written again. It has no state hashes: a release may add fields to rows.
 *
 * <p>If a later engine decides otherwise on purpose, keep the archive, and expect the divergence here with its reason.
 */
final class KeptArchiveTest {
    private static final Path ARCHIVE = Path.of("src/test/resources/archive-1.0.0");
    private static final long EVENTS = 160;

    /** With {@code -Darchive.write=true}, writes the archive of a new release: change the name of its folder first. */
    @BeforeAll
    static void writeIfAsked() {
        if (!Boolean.getBoolean("archive.write")) {
            return;
        }
        try (var archiver = new Archiver(
                RecordedCell.withoutSnapshots(7, 200).log(),
                new FolderStore(ARCHIVE),
                new SegmentLimits(150, 1 << 20),
                "1.0.0",
                _ -> {})) {
            archiver.run();
        }
    }

    @Test
    void isIntact() {
        try (var log = new ArchiveLog(ARCHIVE)) {
            assertThat(log.problems()).isEmpty();
            Report report = LogVerifier.verify(log, TimeRange.ALL);
            assertThat(report.findings()).isEmpty();
            assertThat(report.events()).isEqualTo(EVENTS);
        }
    }

    @Test
    void isDecidedAlike() {
        try (var log = new ArchiveLog(ARCHIVE)) {
            CellSummary cell =
                    new LogReplay(log, new CelSelectors()).run().cells().getFirst();
            assertThat(cell.divergence()).isEmpty();
            assertThat(cell.events()).isEqualTo(EVENTS);
        }
    }

    @Test
    void isCompared() {
        try (var log = new ArchiveLog(ARCHIVE)) {
            assertThat(new CandidateReplay(log, new CelSelectors(), TimeRange.ALL, UnaryOperator.identity())
                            .run()
                            .outcomes()
                            .claims())
                    .isPositive();
        }
    }
}
