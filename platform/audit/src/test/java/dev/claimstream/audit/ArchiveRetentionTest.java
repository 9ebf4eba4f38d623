package dev.claimstream.audit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.claimstream.audit.ArchiveRetention.RetentionLimits;
import dev.claimstream.audit.ArchiveRetention.RetentionSummary;
import dev.claimstream.audit.Archiver.SegmentLimits;
import dev.claimstream.audit.LogVerifier.TimeRange;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Retention of an archive: by age, by size, under a legal hold, and with the inputs that a replay needs. */
final class ArchiveRetentionTest {
    @TempDir
    private Path folder = Path.of("");

    private MemoryLog log;

    @BeforeEach
    void archive() {
        log = RecordedLogs.of(1, 400);
        archive(log);
    }

    private void archiveWithMarkersAtEnd(AuditLog source) {
        archive(new ForwardingLog(source) {
            @Override
            public long end(String topic, int partition) {
                return super.end(topic, partition) + 1;
            }
        });
    }

    private void archive(AuditLog source) {
        try (var archiver =
                new Archiver(source, new FolderStore(folder), new SegmentLimits(50, 1 << 20), "0.1", _ -> {})) {
            archiver.run();
        }
    }

    private RetentionSummary retain(Optional<Duration> age, Optional<Long> bytes, Instant now) {
        return new ArchiveRetention(new FolderStore(folder), new RetentionLimits(age, bytes)).run(now);
    }

    private Instant end() {
        return log.of(LogVerifier.LEDGER, 0).getLast().timestamp();
    }

    private List<SegmentManifest> segments(String topic) {
        return new ArchiveLog(folder).intactSegments(topic, 0);
    }

    @Test
    void deletesOldSegmentsFromTheBeginning() {
        List<SegmentManifest> before = segments(LogVerifier.LEDGER);
        snapshotAtEnd();
        Instant cut = before.get(before.size() / 2).lastTime();
        RetentionSummary summary = retain(Optional.of(Duration.between(cut, end())), Optional.empty(), end());
        assertThat(summary.segments()).isPositive();
        assertThat(segments(LogVerifier.LEDGER)).isEqualTo(before.subList(before.size() / 2, before.size()));
        assertThat(new ArchiveLog(folder).problems()).isEmpty();
        assertThat(LogVerifier.verify(new ArchiveLog(folder), TimeRange.ALL).findings())
                .isEmpty();
    }

    @Test
    void keepsInputsWithoutLaterState() {
        int inputs = segments(LogVerifier.INPUTS).size();
        RetentionSummary summary =
                retain(Optional.of(Duration.ofSeconds(1)), Optional.empty(), end().plusSeconds(9999));
        assertThat(segments(LogVerifier.INPUTS)).hasSize(inputs);
        assertThat(summary.notes()).anyMatch(each -> each.contains("no later state is archived"));
        assertThat(summary.segments()).isZero();
        snapshot(segments(LogVerifier.INPUTS).get(1).lastOffset(), 0);
        assertThat(retain(Optional.of(Duration.ofSeconds(1)), Optional.empty(), end().plusSeconds(9999))
                        .segments())
                .isEqualTo(2);
        assertThat(segments(LogVerifier.INPUTS)).hasSize(inputs - 2);
    }

    private void snapshotAtEnd() {
        snapshot(
                log.end(LogVerifier.INPUTS, 0) - 1,
                log.of(LogVerifier.LEDGER, 0).getLast().offset());
    }

    @Test
    void keepsLedgerFromEventOfLastState() {
        List<SegmentManifest> before = segments(LogVerifier.LEDGER);
        snapshot(log.end(LogVerifier.INPUTS, 0) - 1, before.get(2).lastOffset());
        var unused = retain(Optional.of(Duration.ofSeconds(1)), Optional.empty(), end().plusSeconds(9999));
        assertThat(segments(LogVerifier.LEDGER)).isEqualTo(before.subList(2, before.size()));
    }

    @Test
    void keepsSegmentWhoseMarkersFollowLastState() {
        long last = segments(LogVerifier.INPUTS).getLast().lastOffset();
        archiveWithMarkersAtEnd(RecordedLogs.of(1, 420));
        archive(RecordedLogs.of(1, 500));
        snapshot(419, 0);
        assertThat(last).isLessThan(419);
        var unused = retain(Optional.of(Duration.ofSeconds(1)), Optional.empty(), end().plusSeconds(9999));
        assertThat(segments(LogVerifier.INPUTS).getFirst().lastOffset()).isEqualTo(419);
        assertThat(segments(LogVerifier.INPUTS).getFirst().to()).isEqualTo(421);
    }

    @Test
    void keepsInputsIfLastStateIsDamaged() throws IOException {
        snapshotAtEnd();
        CellSnapshot last = new SnapshotFiles(new FolderStore(folder)).last(0).orElseThrow();
        Files.write(Path.of(last.file().toString()), new byte[] {1});
        assertThat(new ArchiveLog(folder).problems()).singleElement().asString().startsWith("damaged: ");
        assertThat(retain(Optional.of(Duration.ofSeconds(1)), Optional.empty(), end().plusSeconds(9999))
                        .segments())
                .isZero();
    }

    @Test
    void deletesStatesBeforeFirstInput() {
        snapshot(10, 0);
        snapshotAtEnd();
        var unused = retain(Optional.of(Duration.ofSeconds(1)), Optional.empty(), end().plusSeconds(9999));
        assertThat(new SnapshotFiles(new FolderStore(folder)).of(0))
                .extracting(CellSnapshot::input)
                .containsExactly(log.end(LogVerifier.INPUTS, 0) - 1);
    }

    private void snapshot(long input, long ledgerOffset) {
        var files = new SnapshotFiles(new FolderStore(folder));
        var unused = files.write(
                files.describe(0, input, Instant.EPOCH, "", "", ledgerOffset, "", ""),
                1,
                new TreeMap<>(),
                UnaryOperator.identity(),
                _ -> Optional.empty());
    }

    @Test
    void deletesOldestSegmentsAboveSize() {
        snapshotAtEnd();
        long size = segments(LogVerifier.LEDGER).stream()
                        .mapToLong(SegmentManifest::bytes)
                        .sum()
                + segments(LogVerifier.INPUTS).stream()
                        .mapToLong(SegmentManifest::bytes)
                        .sum();
        assertThat(retain(Optional.empty(), Optional.of(size), end()).segments())
                .isZero();
        RetentionSummary summary = retain(Optional.empty(), Optional.of(size - 1), end());
        assertThat(summary.segments()).isEqualTo(1);
        assertThat(summary.notes()).isEmpty();
        RetentionSummary small = retain(Optional.empty(), Optional.of(1L), end());
        assertThat(segments(LogVerifier.LEDGER)).hasSize(1);
        assertThat(small.notes()).anyMatch(each -> each.contains("nothing else can be deleted"));
    }

    @Test
    void archiveContinuesAfterRetention() {
        snapshotAtEnd();
        var unused = retain(Optional.of(Duration.ofSeconds(1)), Optional.empty(), end().plusSeconds(9999));
        archive(log);
        assertThat(segments(LogVerifier.LEDGER)).hasSize(1);
        assertThat(new ArchiveLog(folder).problems()).isEmpty();
    }

    @Test
    void deletesRecordsThatKilledRunHasLeft() throws IOException {
        Path manifest = folder.resolve("ledger.v1-0").resolve(SegmentFiles.name(0) + SegmentFiles.MANIFEST);
        Path records = manifest.resolveSibling(SegmentFiles.name(0) + SegmentFiles.DATA);
        Files.delete(manifest);
        assertThat(records).exists();
        assertThat(retain(Optional.of(Duration.ofDays(999)), Optional.empty(), end())
                        .segments())
                .isZero();
        assertThat(records).doesNotExist();
        assertThat(new ArchiveLog(folder).problems()).isEmpty();
    }

    @Test
    void deletesNothingUnderLegalHold() {
        snapshotAtEnd();
        var hold = new LegalHold(new FolderStore(folder));
        hold.set("case 17");
        RetentionSummary summary = retain(Optional.of(Duration.ofSeconds(1)), Optional.of(1L), end().plusSeconds(9999));
        assertThat(summary.segments()).isZero();
        assertThat(summary.notes()).containsExactly("nothing is deleted: legal hold: case 17");
        assertThat(hold.release()).isTrue();
        assertThat(hold.release()).isFalse();
        assertThat(retain(Optional.of(Duration.ofSeconds(1)), Optional.of(1L), end().plusSeconds(9999))
                        .segments())
                .isPositive();
    }

    @Test
    void rejectsLimitsWithoutMeaning() {
        assertThatThrownBy(() -> new RetentionLimits(Optional.of(Duration.ZERO), Optional.empty()))
                .hasMessageContaining("a positive time");
        assertThatThrownBy(() -> new RetentionLimits(Optional.empty(), Optional.of(0L)))
                .hasMessageContaining("at least one byte");
    }
}
