package dev.claimstream.audit.streams;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.claimstream.allocation.cell.CellIdentity;
import dev.claimstream.audit.ArchiveLog;
import dev.claimstream.audit.ArchiveRetention;
import dev.claimstream.audit.ArchiveRetention.RetentionLimits;
import dev.claimstream.audit.Archiver;
import dev.claimstream.audit.Archiver.SegmentLimits;
import dev.claimstream.audit.AuditException;
import dev.claimstream.audit.CellSnapshot;
import dev.claimstream.audit.FolderStore;
import dev.claimstream.audit.LogRecord;
import dev.claimstream.audit.LogVerifier;
import dev.claimstream.audit.LogVerifier.TimeRange;
import dev.claimstream.audit.MemoryLog;
import dev.claimstream.audit.SnapshotFiles;
import dev.claimstream.audit.streams.LogReplay.CellSummary;
import dev.claimstream.kafka.AvroSerde;
import dev.claimstream.kafka.DecodeResult;
import dev.claimstream.kafka.Topics;
import dev.claimstream.schemas.StateHeaderRecord;
import dev.claimstream.schemas.StateRow;
import dev.claimstream.selectors.CelSelectors;
import dev.claimstream.wire.StateRowCodec;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Archived states: folded from a changelog, compared with the ledger, and the beginning of a replay. */
final class SnapshotFoldTest {
    private static final int STEPS = 400;

    @TempDir
    private Path folder = Path.of("");

    private final List<String> warnings = new ArrayList<>();

    private int fold(MemoryLog log) {
        return new SnapshotFold(log, new FolderStore(folder), "0.1", warnings::add).run();
    }

    private CellSnapshot last() {
        return new SnapshotFiles(new FolderStore(folder)).last(0).orElseThrow();
    }

    private void archive(MemoryLog log) {
        archive(log, SegmentLimits.DEFAULT);
    }

    private void archive(MemoryLog log, SegmentLimits limits) {
        try (var archiver = new Archiver(log, new FolderStore(folder), limits, "0.1", warnings::add)) {
            archiver.run();
        }
    }

    @Test
    void archivesStateOfLastSnapshotEvent() {
        MemoryLog log = RecordedCell.committing(5, STEPS).log();
        assertThat(fold(log)).isEqualTo(1);
        assertThat(last().input() % 50).isEqualTo(49);
        assertThat(last().rows()).isGreaterThan(20);
        assertThat(last().damage()).isEmpty();
        assertThat(fold(log)).as("no newer event").isZero();
        assertThat(warnings).isEmpty();
    }

    @Test
    void replayBeginsAtArchivedState() {
        MemoryLog log = RecordedCell.committing(5, STEPS).log();
        archive(log);
        assertThat(fold(log)).isEqualTo(1);
        var range = new TimeRange(Optional.of(last().at().plusSeconds(5)), Optional.empty());
        CellSummary cell = new LogReplay(new ArchiveLog(folder), new CelSelectors(), range)
                .run()
                .cells()
                .getFirst();
        assertThat(cell.divergence()).isEmpty();
        assertThat(cell.from()).isEqualTo(last().input() + 1);
        assertThat(cell.events()).isPositive();
        var before = new TimeRange(Optional.of(last().at().minusSeconds(1)), Optional.of(last().at()));
        CellSummary early = new LogReplay(new ArchiveLog(folder), new CelSelectors(), before)
                .run()
                .cells()
                .getFirst();
        assertThat(early.divergence()).isEmpty();
        assertThat(early.from()).isZero();
        assertThat(early.inputs()).isEqualTo(last().input() + 1);
    }

    /** An archive whose first inputs are deleted is enough for a time after the state. */
    @Test
    void followerBeginsAtArchivedState() {
        MemoryLog log = RecordedCell.committing(5, STEPS).log();
        archive(log, new SegmentLimits(50, 1 << 20));
        assertThat(fold(log)).isEqualTo(1);
        Instant time = last().at().plusSeconds(5);
        CellFollower whole = CellFollower.at(log, new CelSelectors(), CellIdentity.SINGLE, time);
        var unused = new ArchiveRetention(
                        new FolderStore(folder), new RetentionLimits(Optional.empty(), Optional.of(1L)))
                .run(time);
        var archived = new ArchiveLog(folder);
        assertThat(archived.begin(LogVerifier.INPUTS, 0)).isPositive();
        CellFollower late = CellFollower.at(archived, new CelSelectors(), CellIdentity.SINGLE, time);
        assertThat(late.offset()).isEqualTo(whole.offset());
        assertThat(late.at()).isEqualTo(whole.at());
        assertThat(late.cell().state().rows()).isEqualTo(whole.cell().state().rows());
    }

    @Test
    void waitsForNextEventAfterCompaction() {
        MemoryLog log = RecordedCell.committing(5, STEPS).log();
        List<LogRecord> compacted = new ArrayList<>(log.of(Topics.CELL_CHANGELOG, 0));
        int last = compacted.size() - 1;
        while (!key(compacted.get(last)).equals("header")) {
            last--;
        }
        compacted.remove(last);
        log.replace(Topics.CELL_CHANGELOG, 0, compacted);
        assertThat(fold(log)).isZero();
        assertThat(new SnapshotFiles(new FolderStore(folder)).of(0)).isEmpty();
    }

    @Test
    void doesNotArchiveRowsWithAnotherHash() {
        MemoryLog log = RecordedCell.committing(5, STEPS).log();
        List<LogRecord> changed = new ArrayList<>(log.of(Topics.CELL_CHANGELOG, 0));
        assertThat(changed.removeIf(each -> key(each).contains("slice-node-3"))).isTrue();
        log.replace(Topics.CELL_CHANGELOG, 0, changed);
        assertThat(fold(log)).isZero();
        assertThat(warnings).singleElement().asString().contains("do not have the hash of the snapshot event");
    }

    @Test
    void waitsForNextEventIfOnlyLaterHeaderRemains() {
        MemoryLog log = RecordedCell.committing(5, STEPS).log();
        var serde = AvroSerde.of(StateRow.class, log.registry());
        List<LogRecord> compacted = new ArrayList<>();
        for (LogRecord record : log.of(Topics.CELL_CHANGELOG, 0)) {
            String key = new String(record.key().orElseThrow(), StandardCharsets.UTF_8);
            if (key.equals("header")
                    && serde.read("cell-rows", record.value().orElseThrow())
                            instanceof DecodeResult.Value<StateRow>(StateRow header)) {
                StateRow later = StateRow.newBuilder(header)
                        .setHeader(new StateHeaderRecord(4, "engine", "topic", Long.MAX_VALUE))
                        .build();
                compacted.add(with(record, serde.write("cell-rows", later)));
            } else if (!key.contains("slice-node-3")) {
                compacted.add(record);
            }
        }
        log.replace(Topics.CELL_CHANGELOG, 0, compacted);
        assertThat(fold(log)).isZero();
        assertThat(warnings).isEmpty();
    }

    private static LogRecord with(LogRecord record, byte[] value) {
        return new LogRecord(
                record.topic(),
                record.partition(),
                record.offset(),
                record.timestamp(),
                record.key(),
                Optional.of(value));
    }

    @Test
    void rejectsStateOfOtherEvent() {
        MemoryLog log = RecordedCell.committing(5, STEPS).log();
        archive(log);
        assertThat(fold(log)).isEqualTo(1);
        CellSnapshot kept = last();
        Path manifest = Path.of(kept.file().toString().replace(".avro", ".json"));
        replace(manifest, kept.stateHash(), "0".repeat(kept.stateHash().length()));
        assertThatThrownBy(this::replayFromState).hasMessageContaining("do not have the state hash");
        replace(manifest, "0".repeat(kept.stateHash().length()), kept.stateHash());
        replace(
                manifest,
                "\"ledgerOffset\" : " + kept.ledgerOffset(),
                "\"ledgerOffset\" : " + (kept.ledgerOffset() - 1));
        assertThatThrownBy(this::replayFromState).hasMessageContaining("has another event than that of this state");
    }

    @Test
    void rejectsStateOfOtherRowFormat() {
        MemoryLog log = RecordedCell.committing(5, STEPS).log();
        archive(log);
        assertThat(fold(log)).isEqualTo(1);
        CellSnapshot kept = last();
        assertThat(kept.format()).hasValue(StateRowCodec.FORMAT);
        Path manifest = Path.of(kept.file().toString().replace(".avro", ".json"));
        String written = "\"rowFormat\" : " + StateRowCodec.FORMAT;
        replace(manifest, written, "\"rowFormat\" : 3");
        assertThatThrownBy(this::replayFromState)
                .isInstanceOf(AuditException.class)
                .hasMessageContaining(
                        "%s has rows of format 3, and this release reads format %d. Replay with the release that archived it (0.1)"
                                .formatted(kept.file(), StateRowCodec.FORMAT));
        replace(manifest, "\"rowFormat\" : 3,", ""); // as of releases that did not record it
        assertThat(last().format()).isEmpty();
        replayFromState();
    }

    private void replayFromState() {
        var range = new TimeRange(Optional.of(last().at().plusSeconds(5)), Optional.empty());
        var unused = new LogReplay(new ArchiveLog(folder), new CelSelectors(), range).run();
    }

    private static void replace(Path file, String text, String other) {
        try {
            Files.writeString(file, Files.readString(file).replace(text, other));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void rejectsDamagedState() throws IOException {
        MemoryLog log = RecordedCell.committing(5, STEPS).log();
        archive(log);
        assertThat(fold(log)).isEqualTo(1);
        byte[] bytes = last().file().bytes();
        bytes[bytes.length / 2] ^= 1;
        Files.write(Path.of(last().file().toString()), bytes);
        var range = new TimeRange(Optional.of(last().at().plusSeconds(5)), Optional.empty());
        assertThatThrownBy(() -> new LogReplay(new ArchiveLog(folder), new CelSelectors(), range).run())
                .isInstanceOf(AuditException.class)
                .hasMessageContaining("damaged: " + last().file());
    }

    private static String key(LogRecord row) {
        return new String(row.key().orElseThrow(), StandardCharsets.UTF_8);
    }
}
