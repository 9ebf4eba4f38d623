package dev.claimstream.s3;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.claimstream.audit.ArchiveLog;
import dev.claimstream.audit.ArchiveRetention;
import dev.claimstream.audit.ArchiveRetention.RetentionLimits;
import dev.claimstream.audit.ArchiveStore;
import dev.claimstream.audit.ArchiveStore.Publication;
import dev.claimstream.audit.Archiver;
import dev.claimstream.audit.Archiver.ArchiveSummary;
import dev.claimstream.audit.Archiver.SegmentLimits;
import dev.claimstream.audit.AuditException;
import dev.claimstream.audit.AuditLog;
import dev.claimstream.audit.CellSnapshot;
import dev.claimstream.audit.ForwardingLog;
import dev.claimstream.audit.LegalHold;
import dev.claimstream.audit.LogRecord;
import dev.claimstream.audit.LogVerifier;
import dev.claimstream.audit.LogVerifier.TimeRange;
import dev.claimstream.audit.MemoryLog;
import dev.claimstream.audit.RecordedLogs;
import dev.claimstream.audit.SnapshotFiles;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** What every store of archives does. */
abstract class ArchiveStoreContract {
    private static final SegmentLimits SMALL = new SegmentLimits(50, 1 << 20);
    private static final int KILLS = 6;
    private static final String LEDGER = LogVerifier.LEDGER + "-0";

    final MemoryLog log = RecordedLogs.of(1, 200);

    /** Opens the archive of this test, which is empty before the first write. */
    abstract ArchiveStore open();

    /** Replaces the content of a file without the store. */
    abstract void replace(String name, byte[] content);

    /** Deletes a file without the store. */
    abstract void remove(String name);

    ArchiveSummary archive(AuditLog source) {
        try (ArchiveStore store = open();
                var archiver = new Archiver(source, store, SMALL, "0.1", _ -> {})) {
            return archiver.run();
        }
    }

    List<String> problems() {
        try (var archived = new ArchiveLog(open())) {
            return archived.problems();
        }
    }

    List<String> files(String suffix) {
        try (ArchiveStore store = open()) {
            return store.files(LEDGER).stream()
                    .filter(each -> each.endsWith(suffix))
                    .toList();
        }
    }

    static List<LogRecord> records(AuditLog source, String topic) {
        List<LogRecord> all = new ArrayList<>();
        source.forEach(topic, 0, source.begin(topic, 0), source.end(topic, 0), all::add);
        return all;
    }

    private void assertComplete() {
        try (var archived = new ArchiveLog(open())) {
            assertThat(archived.problems()).isEmpty();
            for (String topic : List.of(LogVerifier.INPUTS, LogVerifier.LEDGER)) {
                assertThat(records(archived, topic)).usingRecursiveComparison().isEqualTo(records(log, topic));
            }
            assertThat(LogVerifier.verify(archived, TimeRange.ALL).findings()).isEmpty();
        }
    }

    @Test
    void keepsFilesByFolder() throws IOException {
        try (ArchiveStore store = open()) {
            store.write("a/2", "two", Publication.NEW);
            store.write("a/1", "one", Publication.NEW);
            store.write("b/1", "other", Publication.NEW);
            store.write("top", "none", Publication.NEW);
            assertThat(store.folders()).containsExactly("a", "b");
            assertThat(store.files("a")).containsExactly("1", "2");
            assertThat(store.files("c")).isEmpty();
            assertThat(content(store, "a/2")).isEqualTo("two");
            assertThat(content(store, "top")).isEqualTo("none");
            assertThatThrownBy(() -> store.open("a/3")).isInstanceOf(NoSuchFileException.class);
            assertThat(store.delete("a/2")).isTrue();
            assertThat(store.delete("a/2")).isFalse();
            assertThat(store.files("a")).containsExactly("1");
        }
    }

    private static String content(ArchiveStore store, String name) throws IOException {
        try (InputStream in = store.open(name)) {
            return new String(in.readAllBytes(), UTF_8);
        }
    }

    @Test
    void replacesOnlyWhatMayBeReplaced() throws IOException {
        try (ArchiveStore store = open()) {
            store.write("a/1", "one", Publication.NEW);
            assertThatThrownBy(() -> store.write("a/1", "other", Publication.NEW))
                    .isInstanceOf(AuditException.class)
                    .hasMessageContaining("exists already");
            assertThat(content(store, "a/1")).isEqualTo("one");
            store.write("a/1", "other", Publication.REPLACEMENT);
            assertThat(content(store, "a/1")).isEqualTo("other");
        }
    }

    @Test
    void readsLargeFile() throws IOException {
        byte[] bytes = new byte[3 << 20];
        new Random(1).nextBytes(bytes);
        replace("a/large", bytes);
        try (ArchiveStore store = open();
                InputStream in = store.open("a/large")) {
            assertThat(in.readAllBytes()).isEqualTo(bytes);
        }
    }

    @Test
    void archivesLogAndContinues() {
        assertThat(archive(log).records()).isEqualTo(400);
        assertComplete();
        assertThat(archive(log).records()).isZero();
    }

    @Test
    void continuesAfterKillWithoutGapOrDuplicate() {
        var random = new Random(7);
        for (int i = 0; i < KILLS; i++) {
            int records = random.nextInt(250);
            try {
                archive(killedAfter(records));
            } catch (IllegalStateException e) {
                assertThat(e).hasMessage("killed");
            }
        }
        archive(log);
        assertComplete();
    }

    /** A log whose reader is killed after some records. */
    private AuditLog killedAfter(int records) {
        return new ForwardingLog(log) {
            private int left = records;

            @Override
            public void forEach(String topic, int partition, long from, long to, Predicate<LogRecord> action) {
                super.forEach(topic, partition, from, to, record -> {
                    if (left-- == 0) {
                        throw new IllegalStateException("killed");
                    }
                    return action.test(record);
                });
            }
        };
    }

    @Test
    void namesDamagedAndMissingFiles() {
        archive(log);
        List<String> files = files(".avro");
        replace(LEDGER + '/' + files.get(1), new byte[] {1, 2, 3});
        remove(LEDGER + '/' + files.get(2));
        assertThat(problems())
                .satisfiesExactly(
                        damaged -> assertThat(damaged)
                                .startsWith("damaged: ")
                                .contains(files.get(1), "its SHA-256 is not that of its manifest", "Restore the file"),
                        missing ->
                                assertThat(missing).startsWith("missing: ").contains(files.get(2), "Restore the file"));
    }

    @Test
    void namesGap() {
        archive(log);
        remove(LEDGER + '/' + files(".json").get(1));
        assertThat(problems())
                .anySatisfy(each -> assertThat(each).startsWith("gap: ").contains("offsets 50 to 99"));
    }

    @Test
    void keepsStateWithItsFormat() {
        try (ArchiveStore store = open()) {
            var files = new SnapshotFiles(store);
            var rows = new TreeMap<String, byte[]>();
            rows.put("a", ByteBuffer.allocate(8).putInt(4, 42).array());
            CellSnapshot written = files.write(
                    files.describe(0, 17, Instant.EPOCH, "aa", "bb", 3, "engine", "0.1"),
                    9,
                    rows,
                    UnaryOperator.identity(),
                    _ -> Optional.empty());
            CellSnapshot read = files.last(0).orElseThrow();
            assertThat(read).isEqualTo(written);
            assertThat(read.format()).hasValue(9);
            assertThat(read.damage()).isEmpty();
            var found = new TreeMap<String, byte[]>();
            read.forEachRow(found::put);
            assertThat(found).usingRecursiveComparison().isEqualTo(rows);
            replace(read.file().name(), new byte[] {1});
            assertThat(read.damage().orElseThrow())
                    .startsWith("damaged: ")
                    .contains(read.file().toString());
        }
    }

    @Test
    void deletesOldSegmentsExceptUnderHold() {
        archive(log);
        Instant later = RecordedLogs.START.plusSeconds(200);
        try (ArchiveStore store = open()) {
            var files = new SnapshotFiles(store);
            var unused = files.write(
                    files.describe(0, 199, later, "", "", 199, "", ""),
                    1,
                    new TreeMap<>(),
                    UnaryOperator.identity(),
                    _ -> Optional.empty());
            var retention = new ArchiveRetention(
                    store, new RetentionLimits(Optional.of(Duration.ofSeconds(1)), Optional.empty()));
            var hold = new LegalHold(store);
            hold.set("case 17");
            assertThat(hold.reason()).contains("case 17");
            assertThat(retention.run(later.plusSeconds(9)).segments()).isZero();
            assertThat(hold.release()).isTrue();
            assertThat(hold.release()).isFalse();
            assertThat(retention.run(later.plusSeconds(9)).segments()).isEqualTo(6);
        }
        assertThat(problems()).isEmpty();
    }
}
