package dev.claimstream.audit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.claimstream.audit.ArchiveErasure.ErasureSummary;
import dev.claimstream.audit.Archiver.SegmentLimits;
import dev.claimstream.audit.LogVerifier.Report;
import dev.claimstream.audit.LogVerifier.TimeRange;
import dev.claimstream.kafka.AvroSerde;
import dev.claimstream.kafka.DecodeResult;
import dev.claimstream.schemas.DecisionRecord;
import dev.claimstream.schemas.LedgerEvent;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Names are gone from erased segments, and the chain, checkpoints and comparisons still hold. */
final class ArchiveErasureTest {
    private static final int INPUTS = 400;

    /** After half of the inputs. */
    private static final Instant BEFORE = RecordedLogs.START.plusSeconds(INPUTS / 2);

    @TempDir
    private Path folder = Path.of("");

    private MemoryLog log;

    @BeforeEach
    void archive() {
        log = RecordedLogs.of(1, INPUTS);
        try (var archiver =
                new Archiver(log, new FolderStore(folder), new SegmentLimits(50, 1 << 20), "0.1", _ -> {})) {
            archiver.run();
        }
    }

    private ErasureSummary erase() {
        return new ArchiveErasure(new FolderStore(folder)).run(BEFORE);
    }

    private Report verify() {
        return LogVerifier.verify(new ArchiveLog(new FolderStore(folder)), TimeRange.ALL);
    }

    private List<LogRecord> ledger() {
        List<LogRecord> records = new ArrayList<>();
        var archived = new ArchiveLog(new FolderStore(folder));
        archived.forEach(LogVerifier.LEDGER, 0, 0, archived.end(LogVerifier.LEDGER, 0), records::add);
        return records;
    }

    private DecisionRecord decision(LogRecord record) {
        return AvroSerde.of(LedgerEvent.class, log.registry())
                                .read(record.topic(), record.value().orElseThrow())
                        instanceof DecodeResult.Value<LedgerEvent>(LedgerEvent event)
                ? event.getDecision().orElseThrow()
                : new DecisionRecord();
    }

    @Test
    void verifySaysErasedAndFindsNothing() {
        List<LogRecord> before = ledger();
        assertThat(verify().ledgers().getFirst().erased()).isZero();
        ErasureSummary summary = erase();
        Report report = verify();
        long erased = report.ledgers().getFirst().erased();
        assertThat(new ArchiveLog(new FolderStore(folder)).problems()).isEmpty();
        assertThat(report.findings()).isEmpty();
        assertThat(report.events()).isEqualTo(before.size());
        assertThat(erased).isPositive().isLessThan(before.size());
        assertThat(summary.records()).isGreaterThan(erased);
        List<LogRecord> after = ledger();
        for (int i = 0; i < after.size(); i++) {
            assertThat(after.get(i).isErased()).isEqualTo(i < erased);
            if (i >= erased) {
                assertThat(after.get(i).value().orElseThrow())
                        .isEqualTo(before.get(i).value().orElseThrow());
            }
        }
        assertThat(erase()).isEqualTo(new ErasureSummary(0, 0, 0));
    }

    @Test
    void erasedEventsHaveNoNamesAndKeepTheRest() {
        DecisionRecord before = decision(ledger().getFirst());
        erase();
        LogRecord record = ledger().getFirst();
        DecisionRecord after = decision(record);
        assertThat(new String(record.value().orElseThrow(), StandardCharsets.ISO_8859_1))
                .doesNotContain("team", before.getPending().orElseThrow().getMessage());
        assertThat(List.of(
                        after.getNamespace(),
                        after.getItem().getName(),
                        after.getPending().orElseThrow().getMessage()))
                .containsOnly(NameErasure.ERASED);
        assertThat(after.getName()).isEqualTo(NameErasure.ERASED + "-" + before.getClaimUid());
        assertThat(after.getClaimUid()).isEqualTo(before.getClaimUid());
        assertThat(after.getNumber()).isEqualTo(before.getNumber());
        assertThat(after.getAt()).isEqualTo(before.getAt());
        assertThat(after.getPending().orElseThrow().getReason())
                .isEqualTo(before.getPending().orElseThrow().getReason());
    }

    @Test
    void topicsAndCheckpointAreComparedNevertheless() throws Exception {
        KeyPair keys = KeyPairGenerator.getInstance("Ed25519").generateKeyPair();
        Checkpoint checkpoint = Checkpoints.create(log, BEFORE, keys.getPrivate());
        erase();
        assertThat(new JoinedLog(new ArchiveLog(new FolderStore(folder)), log).differences())
                .isEmpty();
        Checkpoints.CheckpointComparison comparison =
                Checkpoints.compare(new ArchiveLog(new FolderStore(folder)), checkpoint);
        assertThat(comparison.findings()).isEmpty();
        assertThat(comparison.notCompared()).isEmpty();
        assertThatThrownBy(() -> Checkpoints.prove(new ArchiveLog(new FolderStore(folder)), checkpoint, 0, 0))
                .isInstanceOf(AuditException.class)
                .hasMessageContaining("names were erased in this event");
        long last = log.end(LogVerifier.LEDGER, 0) - 1;
        assertThat(Checkpoints.prove(new ArchiveLog(new FolderStore(folder)), checkpoint, 0, last))
                .isNotNull();
    }

    @Test
    void changedHashAmongErasedEventsIsFound() {
        erase();
        var changed = new ForwardingLog(new ArchiveLog(new FolderStore(folder))) {
            @Override
            public void forEach(
                    String topic, int partition, long from, long to, java.util.function.Predicate<LogRecord> action) {
                super.forEach(topic, partition, from, to, record -> action.test(changed(record)));
            }
        };
        assertThat(LogVerifier.verify(changed, TimeRange.ALL).findings()).isNotEmpty();
    }

    /** Changes the last byte of the hash of the erased event at offset 10. */
    private static LogRecord changed(LogRecord record) {
        if (!record.topic().equals(LogVerifier.LEDGER) || record.offset() != 10) {
            return record;
        }
        byte[] value = record.value().orElseThrow().clone();
        value[value.length - 1] ^= 1;
        return new LogRecord(
                record.topic(),
                record.partition(),
                record.offset(),
                record.timestamp(),
                record.key(),
                Optional.of(value),
                record.isErased());
    }

    @Test
    void legalHoldPreventsErasure() {
        new LegalHold(new FolderStore(folder)).set("case 17");
        assertThatThrownBy(this::erase)
                .isInstanceOf(AuditException.class)
                .hasMessage(
                        "nothing is erased: legal hold: case 17. Release it first: claimstream audit hold --release");
        assertThat(verify().ledgers().getFirst().erased()).isZero();
    }

    @Test
    void holdThatIsSetMeanwhileEndsErasure() {
        var kept = new FolderStore(folder);
        var hold = new LegalHold(kept);
        var store = (ArchiveStore) Proxy.newProxyInstance(
                ArchiveStore.class.getClassLoader(), new Class<?>[] {ArchiveStore.class}, (_, method, arguments) -> {
                    if (method.getName().equals("publish")) { // the first segment is erased
                        hold.set("case 17");
                    }
                    try {
                        return method.invoke(kept, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getTargetException();
                    }
                });
        assertThatThrownBy(() -> new ArchiveErasure(store).run(BEFORE))
                .isInstanceOf(AuditException.class)
                .hasMessageStartingWith("nothing more is erased: legal hold: case 17.");
        assertThat(verify().ledgers().getFirst().erased()).isZero(); // the inputs come first
        assertThat(new ArchiveLog(folder).problems()).isEmpty();
    }

    @Test
    void killedRunIsCompletedByNextOne() throws IOException {
        Path manifest = folder.resolve("ledger.v1-0").resolve(SegmentFiles.name(0) + SegmentFiles.MANIFEST);
        String former = Files.readString(manifest);
        erase();
        String published = Files.readString(manifest);
        Files.writeString(manifest.resolveSibling(manifest.getFileName() + FolderStore.DRAFT), published);
        Files.writeString(manifest, former); // killed before it was renamed
        assertThat(new ArchiveLog(new FolderStore(folder)).problems())
                .anyMatch(each -> each.startsWith("damaged: ") && each.contains("claimstream audit erase"))
                .noneMatch(each -> each.contains("delete it"));
        assertThat(erase()).isEqualTo(new ErasureSummary(0, 0, 0));
        assertThat(Files.readString(manifest)).isEqualTo(published);
        assertThat(new ArchiveLog(new FolderStore(folder)).problems()).isEmpty();
        assertThat(verify().findings()).isEmpty();
    }

    @Test
    void archiverContinuesAfterErasedSegments() {
        new ArchiveErasure(new FolderStore(folder)).run(RecordedLogs.START.plusSeconds(2L * INPUTS));
        assertThat(verify().ledgers().getFirst().erased()).isEqualTo(log.end(LogVerifier.LEDGER, 0));
        try (var archiver =
                new Archiver(log, new FolderStore(folder), new SegmentLimits(50, 1 << 20), "0.1", _ -> {})) {
            assertThat(archiver.run().records()).isZero();
        }
        assertThat(new ArchiveLog(new FolderStore(folder)).problems()).isEmpty();
    }
}
