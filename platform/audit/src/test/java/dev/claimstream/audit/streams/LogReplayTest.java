package dev.claimstream.audit.streams;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.claimstream.audit.ArchiveLog;
import dev.claimstream.audit.Archiver;
import dev.claimstream.audit.Archiver.SegmentLimits;
import dev.claimstream.audit.AuditException;
import dev.claimstream.audit.AuditLog;
import dev.claimstream.audit.FolderStore;
import dev.claimstream.audit.LogRecord;
import dev.claimstream.audit.LogVerifier;
import dev.claimstream.audit.LogVerifier.TimeRange;
import dev.claimstream.audit.MemoryLog;
import dev.claimstream.audit.streams.LogReplay.CellSummary;
import dev.claimstream.audit.streams.LogReplay.ReplayReport;
import dev.claimstream.kafka.AvroSerde;
import dev.claimstream.kafka.DecodeResult;
import dev.claimstream.schemas.LedgerEvent;
import dev.claimstream.selectors.CelSelectors;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
import java.util.stream.LongStream;
import org.apache.avro.io.BinaryEncoder;
import org.apache.avro.io.EncoderFactory;
import org.apache.avro.specific.SpecificDatumWriter;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Replays of recorded cells: equal, and with other inputs than were recorded. */
final class LogReplayTest {
    private static final int STEPS = 400;
    private static final int HEADER_BYTES = 5;

    static LongStream seeds() {
        return LongStream.range(0, Integer.getInteger("replay.seeds", 3));
    }

    private static ReplayReport replay(AuditLog log) {
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
        try (var archiver =
                new Archiver(log, new FolderStore(folder), new SegmentLimits(100, 1 << 20), "0.1", _ -> {})) {
            archiver.run();
        }
        ReplayReport report = new LogReplay(new ArchiveLog(folder), new CelSelectors()).run();
        assertThat(report.divergence()).isEmpty();
        assertThat(report.cells()).isEqualTo(replay(log).cells());
    }

    @Test
    void doesNotReplayAcrossGap(@TempDir Path folder) throws IOException {
        MemoryLog log = RecordedCell.random(7, STEPS).log();
        try (var archiver =
                new Archiver(log, new FolderStore(folder), new SegmentLimits(100, 1 << 20), "0.1", _ -> {})) {
            archiver.run();
        }
        for (String suffix : List.of(".json", ".avro")) {
            Files.delete(folder.resolve("cells.in-0/%020d%s".formatted(100, suffix)));
        }
        assertThatThrownBy(() -> replay(new ArchiveLog(folder)))
                .isInstanceOf(AuditException.class)
                .hasMessageStartingWith(
                        "cells.in, partition 0: offsets 100 to 199 were deleted before they were archived");
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
    void findsEventsAfterLastInput() {
        MemoryLog log = RecordedCell.random(3, STEPS).log();
        long last = event(log.of(LogVerifier.LEDGER, 0).getLast(), log).getOffset();
        List<LogRecord> inputs = log.of(LogVerifier.INPUTS, 0);
        inputs.subList((int) last, inputs.size()).clear();
        Divergence divergence = replay(log).divergence().orElseThrow();
        assertThat(divergence.offset()).isEqualTo(last);
        assertThat(divergence.input()).isEmpty();
        assertThat(divergence.cause())
                .contains("cells.in, partition 0, ends at offset %d, and the ledger has events of later inputs"
                        .formatted(last));
        assertThat(divergence.recorded()).isNotEmpty();
        assertThat(divergence.replayed()).isEmpty();
        assertThat(divergence.state().getFirst()).matches("cell 0: \\d+ of 32 devices free, pending items: \\d+");
    }

    @Test
    void findsChangedHash() {
        MemoryLog log = RecordedCell.random(3, STEPS).log();
        LogRecord last = log.of(LogVerifier.LEDGER, 0).getLast();
        byte[] value = last.value().orElseThrow().clone();
        value[value.length - 1] ^= 1;
        replaceLast(log, value);
        assertThat(replay(log).divergence().flatMap(Divergence::cause))
                .contains(last.position() + ": the hash of the event is not that of its bytes");
    }

    @Test
    void showsAllocationBeforeInputThatReleasesIt() {
        MemoryLog log = RecordedCell.random(3, STEPS).log();
        List<LogRecord> ledger = log.of(LogVerifier.LEDGER, 0);
        while (!event(ledger.getLast(), log).getEvent().equals("released")) {
            ledger.removeLast();
        }
        String claim = event(ledger.getLast(), log).getDecision().orElseThrow().getName();
        byte[] value = ledger.getLast().value().orElseThrow().clone();
        value[value.length - 1] ^= 1;
        replaceLast(log, value);
        assertThat(replay(log).divergence().orElseThrow().state())
                .hasSizeLessThanOrEqualTo(14)
                .anyMatch(line -> line.matches(
                        "claim team/%s: (absent; )?decision \\d+, \\w+: node node-\\d, gpu\\.example\\.com/.+"
                                .formatted(claim)));
    }

    @Test
    void findsBrokenLink() throws IOException {
        MemoryLog log = RecordedCell.random(3, STEPS).log();
        LogRecord last = log.of(LogVerifier.LEDGER, 0).getLast();
        var foreign = ByteBuffer.wrap(new byte[32]);
        replaceLast(log, hashed(last, withoutHash(event(last, log), foreign), EncoderFactory.get()::binaryEncoder));
        assertThat(replay(log).divergence().flatMap(Divergence::cause))
                .contains(last.position() + ": the previous hash of the event is not the hash of the event before it");
    }

    @Test
    void acceptsEqualContentInOtherBytes() throws IOException {
        MemoryLog log = RecordedCell.random(3, STEPS).log();
        List<LogRecord> ledger = log.of(LogVerifier.LEDGER, 0);
        while (!event(ledger.getLast(), log).getEvent().equals("allocated")) {
            ledger.removeLast();
        }
        LogRecord last = ledger.getLast();
        // blocks with sizes: other bytes of the same value, as with maps in another order
        LedgerEvent event = event(last, log);
        replaceLast(
                log,
                hashed(last, withoutHash(event, event.getPreviousHash()), EncoderFactory.get()::blockingBinaryEncoder));
        assertThat(LogVerifier.verify(log, TimeRange.ALL).findings()).isEmpty();
        ReplayReport report = replay(log);
        assertThat(report.divergence()).isEmpty();
        assertThat(report.cells().getFirst().otherBytes()).isEqualTo(1);
    }

    static LedgerEvent event(LogRecord record, MemoryLog log) {
        return switch (AvroSerde.of(LedgerEvent.class, new LogSchemas(log))
                .read(record.topic(), record.value().orElseThrow())) {
            case DecodeResult.Value<LedgerEvent>(LedgerEvent event) -> event;
            case DecodeResult.Tombstone<LedgerEvent> _, DecodeResult.Failure<LedgerEvent> _ ->
                throw new IllegalArgumentException("not a ledger event: " + record.position());
        };
    }

    private static void replaceLast(MemoryLog log, byte[] value) {
        LogRecord last = log.of(LogVerifier.LEDGER, 0).removeLast();
        log.add(LogVerifier.LEDGER, 0, last.timestamp(), last.key().orElseThrow(), value);
    }

    private static LedgerEvent withoutHash(LedgerEvent event, ByteBuffer previousHash) {
        return new LedgerEvent(
                event.getCell(),
                event.getOffset(),
                event.getIndex(),
                event.getAt(),
                event.getEvent(),
                event.getDecision().orElse(null),
                event.getAlarm().orElse(null),
                event.getStateHash().orElse(null),
                event.getEngine(),
                previousHash,
                ByteBuffer.allocate(0));
    }

    /** The value of an event, with the header of a record and a valid hash. */
    private static byte[] hashed(
            LogRecord record,
            LedgerEvent event,
            BiFunction<OutputStream, @Nullable BinaryEncoder, BinaryEncoder> encoders)
            throws IOException {
        var bytes = new ByteArrayOutputStream();
        BinaryEncoder encoder = encoders.apply(bytes, null);
        new SpecificDatumWriter<>(LedgerEvent.class).write(event, encoder);
        encoder.flush();
        byte[] body = bytes.toByteArray();
        bytes.reset();
        bytes.write(event.getPreviousHash().array());
        bytes.write(body);
        byte[] hash = sha256(bytes.toByteArray());
        bytes.reset();
        bytes.write(record.value().orElseThrow(), 0, HEADER_BYTES);
        bytes.write(body, 0, body.length - 1);
        bytes.write(2 * hash.length);
        bytes.write(hash);
        return bytes.toByteArray();
    }

    private static byte[] sha256(byte[] bytes) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(bytes);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
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
