package dev.claimstream.audit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.claimstream.audit.Archiver.ArchiveSummary;
import dev.claimstream.audit.Archiver.SegmentLimits;
import dev.claimstream.audit.Finding.FindingKind;
import dev.claimstream.audit.LogVerifier.Report;
import dev.claimstream.audit.LogVerifier.TimeRange;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Archives: content, resumption after a kill, and damaged, missing and foreign files. */
final class ArchiveTest {
    private static final SegmentLimits SMALL = new SegmentLimits(50, 1 << 20);
    private static final int KILLS = 12;

    @TempDir
    private Path folder = Path.of("");

    private final MemoryLog log = RecordedLogs.of(2, 120);
    private final List<String> warnings = new ArrayList<>();

    private ArchiveSummary archive(AuditLog source) {
        return archive(source, SMALL);
    }

    private ArchiveSummary archive(AuditLog source, SegmentLimits limits) {
        try (var archiver = new Archiver(source, new FolderStore(folder), limits, "0.1", warnings::add)) {
            return archiver.run();
        }
    }

    private static List<LogRecord> records(AuditLog source, String topic, int partition) {
        List<LogRecord> all = new ArrayList<>();
        source.forEach(topic, partition, source.begin(topic, partition), source.end(topic, partition), all::add);
        return all;
    }

    private void assertComplete(AuditLog archived) {
        for (String topic : List.of(LogVerifier.INPUTS, LogVerifier.LEDGER)) {
            assertThat(archived.partitions(topic)).isEqualTo(log.partitions(topic));
            for (int partition : log.partitions(topic)) {
                assertThat(records(archived, topic, partition))
                        .usingRecursiveComparison()
                        .isEqualTo(records(log, topic, partition));
            }
        }
    }

    private List<Path> files(String topic, String suffix) {
        try (Stream<Path> all = Files.list(folder.resolve(topic))) {
            return all.filter(each -> each.toString().endsWith(suffix)).sorted().toList();
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    @Test
    void containsEveryRecordAndVerifiesAlone() {
        ArchiveSummary summary = archive(log);
        assertThat(summary.records()).isEqualTo(4 * 120L);
        assertThat(summary.segments()).isEqualTo(4 * 3);
        var archived = new ArchiveLog(folder);
        assertComplete(archived);
        assertThat(archived.problems()).isEmpty();
        Report report = LogVerifier.verify(archived, TimeRange.ALL);
        assertThat(report.findings()).isEmpty();
        assertThat(report.ledgers())
                .isEqualTo(LogVerifier.verify(log, TimeRange.ALL).ledgers());
        assertThat(archive(log).segments()).isZero();
        assertThat(warnings).isEmpty();
    }

    @Test
    void manifestLinksChainHeads() {
        archive(log);
        var archive = new SegmentFiles(new FolderStore(folder));
        List<SegmentManifest> ledger = archive.manifests(LogVerifier.LEDGER, 1).stream()
                .map(SegmentFiles.StoredManifest::manifest)
                .toList();
        assertThat(ledger).hasSize(3);
        assertThat(ledger.getFirst().headBefore()).isEmpty();
        assertThat(ledger.get(1).headBefore()).isEqualTo(ledger.getFirst().headAfter());
        assertThat(ledger.getLast().headAfter())
                .isEqualTo(LogVerifier.verify(log, TimeRange.ALL)
                        .ledgers()
                        .getLast()
                        .head());
        assertThat(ledger)
                .allMatch(
                        each -> each.engine().equals("engine") && each.release().equals("0.1"));
        assertThat(SegmentManifest.of(ledger.getFirst().text())).isEqualTo(ledger.getFirst());
    }

    @Test
    void continuesAfterKillWithoutGapOrDuplicate() throws IOException {
        long seed = Long.getLong("audit.seed", System.nanoTime());
        System.out.printf("ArchiveTest: -Daudit.seed=%d%n", seed);
        var random = new Random(seed);
        for (int i = 0; i < KILLS; i++) {
            int records = random.nextInt(200);
            try {
                archive(new FailingLog(log, records));
            } catch (IllegalStateException e) {
                assertThat(e).hasMessage("killed");
            }
            leaveFilesOfKilledWriter(random);
        }
        archive(log);
        var archived = new ArchiveLog(folder);
        assertThat(archived.problems()).as("seed %d", seed).isEmpty();
        assertComplete(archived);
    }

    /** A killed writer leaves a draft, or a segment without its manifest. */
    private void leaveFilesOfKilledWriter(Random random) throws IOException {
        var archive = new SegmentFiles(new FolderStore(folder));
        long next = archive.last(LogVerifier.INPUTS, 0)
                .map(each -> each.manifest().to())
                .orElse(0L);
        String suffix = random.nextBoolean() ? "" : FolderStore.DRAFT;
        Path left = Path.of(archive.records(LogVerifier.INPUTS, 0, next) + suffix);
        Files.createDirectories(left.getParent());
        Files.writeString(left, "incomplete");
    }

    @Test
    void namesDamagedSegment() throws IOException {
        archive(log);
        damage("ledger.v1-0");
        Path damaged = files("ledger.v1-0", ".avro").get(1);
        var archived = new ArchiveLog(folder);
        assertThat(archived.problems())
                .singleElement()
                .asString()
                .startsWith("damaged: %s (offsets 50 to 99)".formatted(damaged))
                .contains("Restore the file from a copy");
        assertThat(LogVerifier.verify(archived, TimeRange.ALL).findings())
                .singleElement()
                .matches(each -> each.kind() == FindingKind.MISSING && each.offset() == 100);
        assertThatThrownBy(() ->
                        ArchiveLog.strict(new FolderStore(folder)).forEach(LogVerifier.LEDGER, 0, 0, 120, _ -> true))
                .isInstanceOf(AuditException.class)
                .hasMessageStartingWith("damaged: ");
    }

    @Test
    void namesMissingFilesAndGaps() throws IOException {
        archive(log);
        Path data = files("cells.in-1", ".avro").get(1);
        Files.delete(data);
        assertThat(new ArchiveLog(folder).problems())
                .singleElement()
                .asString()
                .startsWith("missing: %s".formatted(data));
        Files.delete(files("cells.in-1", ".json").get(1));
        assertThat(new ArchiveLog(folder).problems())
                .singleElement()
                .asString()
                .startsWith("gap: %s: offsets 50 to 99 of cells.in, partition 1"
                        .formatted(files("cells.in-1", ".json").get(1)));
    }

    @Test
    void namesChangedManifest() throws IOException {
        archive(log);
        Path manifest = files("ledger.v1-1", ".json").getFirst();
        Files.writeString(manifest, Files.readString(manifest).replace("\"0.1\"", "\"0.2\""));
        assertThat(new ArchiveLog(folder).problems())
                .singleElement()
                .asString()
                .startsWith("changed: %s".formatted(manifest));
    }

    @Test
    void rejectsNewerFormatAndUnreadableManifest() throws IOException {
        archive(log);
        Path manifest = files("ledger.v1-1", ".json").getFirst();
        String text = Files.readString(manifest);
        Files.writeString(manifest, text.replace("\"format\" : 1", "\"format\" : 3"));
        assertThatThrownBy(() -> new ArchiveLog(folder))
                .isInstanceOf(AuditException.class)
                .hasMessageContainingAll(manifest.toString(), "format 3", "use the release that wrote it");
        Files.writeString(manifest, "{");
        assertThatThrownBy(() -> new ArchiveLog(folder))
                .isInstanceOf(AuditException.class)
                .hasMessageContainingAll(manifest.toString(), "not a manifest");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            format      | "1"                    | its field format is not an integer from 1: "1"
            topic       | 7                      | its field topic is not a text: 7
            partition   | 4294967296             | its field partition is not a number up to 2147483647
            from        | 1.5                    | its field from is not an integer from 0: 1.5
            to          | 12345678901234567890   | its field to is not an integer from 1
            firstOffset | -1                     | its field firstOffset is not an integer from 0: -1
            lastOffset  | 50                     | its offsets are not in order: from 0, firstOffset 0, lastOffset 50, to 50
            firstTime   | "yesterday"            | its field firstTime is not a time
            lastTime    | 5                      | its field lastTime is not a text: 5
            count       | 0                      | its field count is not an integer from 1: 0
            file        | {}                     | its field file is not a text: {}
            bytes       | []                     | its field bytes is not an integer from 0: []
            sha256      | ""                     | its field sha256 is not a SHA-256
            headBefore  | "a"                    | its field headBefore is not a SHA-256
            headAfter   | "xyz"                  | its field headAfter is not a SHA-256
            engine      | true                   | its field engine is not a text: true
            release     | null                   | it has no field release
            previous    | 0                      | its field previous is not a text: 0
            schemas     | "record"               | its field schemas is not an object: "record"
            schemas     | {"1": 5}               | its field schemas.1 is not a text with a schema: 5
            schemas     | {"1": null}            | its field schemas.1 is not a text with a schema: null
            schemas     | {"one": "{}"}          | its field schemas.one is not named by a schema id
            schemas     | {"1": ""}              | schema id 1 cannot be parsed
            schemas     | {"1": "7"}             | schema id 1 cannot be parsed
            schemas     | {"1": "null"}          | schema id 1 cannot be parsed
            schemas     | {"1": "{\\"type\\": 3}"} | schema id 1 cannot be parsed
            """)
    void namesInvalidFieldOfManifest(String field, String value, String problem) throws IOException {
        archive(RecordedLogs.of(2, 50));
        Path manifest = files("ledger.v1-1", ".json").getFirst();
        var mapper = new ObjectMapper();
        var json = (ObjectNode) mapper.readTree(Files.readString(manifest));
        json.set(field, mapper.readTree(value));
        Files.writeString(manifest, json.toString());
        assertThatThrownBy(() -> new ArchiveLog(folder))
                .isInstanceOf(AuditException.class)
                .hasMessageContainingAll(manifest.toString(), problem)
                .hasMessageContaining("estore");
    }

    @Test
    void rejectsFolderWithoutArchive() {
        assertThatThrownBy(() -> new ArchiveLog(folder)).hasMessageContaining("has no segment");
        assertThatThrownBy(() -> new ArchiveLog(folder.resolve("missing")))
                .isInstanceOf(AuditException.class)
                .hasMessageContaining("does not exist");
    }

    @Test
    void namesFileWhenDiskIsFull() throws IOException {
        Path full = Path.of("/dev/full");
        assumeTrue(Files.exists(full));
        Path partition = Files.createDirectories(folder.resolve("cells.in-0"));
        Path draft = Files.createSymbolicLink(partition.resolve(SegmentFiles.name(0) + ".avro.new"), full);
        assertThatThrownBy(() -> archive(log))
                .isInstanceOf(AuditException.class)
                .hasMessageContainingAll(draft.toString().replace(".new", ""), "No space left", "Free space");
        archive(log);
        assertComplete(new ArchiveLog(folder));
    }

    @Test
    void warnsAboutRecordsDeletedBeforeTheyWereArchived() {
        archive(log);
        MemoryLog later = log.copy();
        for (int i = 0; i < 10; i++) {
            LogRecord record = log.of(LogVerifier.INPUTS, 0).getFirst();
            later.add(
                    LogVerifier.INPUTS,
                    0,
                    record.timestamp(),
                    RecordedLogs.key(""),
                    record.value().orElseThrow());
        }
        later.expire(LogVerifier.INPUTS, 0, 124);
        archive(later);
        assertThat(warnings).singleElement().asString().contains("cells.in, partition 0: offsets 120 to 123");
        assertThat(new ArchiveLog(folder).problems()).singleElement().asString().startsWith("gap: ");
    }

    @Test
    void rejectsOtherLogAndSecondWriter() {
        archive(log);
        assertThatThrownBy(() -> archive(RecordedLogs.of(2, 60)))
                .isInstanceOf(AuditException.class)
                .hasMessageContainingAll("ends at offset 60", "archive the new topic to another folder");
        try (var first = new Archiver(log, new FolderStore(folder), SMALL, "0.1", warnings::add)) {
            assertThat(first.run().segments()).isZero();
            assertThatThrownBy(() -> archive(log))
                    .isInstanceOf(AuditException.class)
                    .hasMessageContaining("another program archives to");
        }
    }

    @Test
    void findsEndOfLedgerThatTopicHasLost() {
        archive(log);
        MemoryLog shorter = log.copy();
        List<LogRecord> ledger = shorter.of(LogVerifier.LEDGER, 1);
        ledger.subList(117, 120).clear();
        try (var joined = new JoinedLog(new ArchiveLog(folder), shorter)) {
            assertThat(joined.differences())
                    .singleElement()
                    .matches(each ->
                            each.kind() == FindingKind.TRUNCATED && each.partition() == 1 && each.offset() == 117);
            assertThat(LogVerifier.verify(joined, TimeRange.ALL).findings()).isEmpty();
        }
    }

    @Test
    void joinedLogNamesWhatIsInNeitherOfBoth() {
        archive(log);
        MemoryLog longer = RecordedLogs.of(2, 200);
        longer.expire(LogVerifier.LEDGER, 1, 150);
        longer.expire(LogVerifier.LEDGER, 0, 120);
        try (var joined = new JoinedLog(new ArchiveLog(folder), longer)) {
            assertThat(joined.gaps(LogVerifier.LEDGER, 1, 0, 200)).containsExactly(new OffsetGap(120, 150));
            assertThat(joined.gaps(LogVerifier.LEDGER, 1, 130, 140)).containsExactly(new OffsetGap(130, 140));
            assertThat(joined.gaps(LogVerifier.LEDGER, 1, 150, 200)).isEmpty();
            assertThat(joined.gaps(LogVerifier.LEDGER, 0, 0, 200)).isEmpty();
        }
    }

    @Test
    void archiveNamesOffsetsBetweenItsSegments() throws IOException {
        archive(log);
        for (String suffix : List.of(".json", ".avro")) {
            Files.delete(files("ledger.v1-1", suffix).get(1));
        }
        var archived = new ArchiveLog(folder);
        assertThat(archived.gaps(LogVerifier.LEDGER, 1, 0, 120)).containsExactly(new OffsetGap(50, 100));
        assertThat(archived.gaps(LogVerifier.LEDGER, 1, 100, 120)).isEmpty();
        assertThat(archived.gaps(LogVerifier.LEDGER, 0, 0, 120)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"%s/../../../stolen.avro", "../ledger.v1-0/%s.avro", "%s/inner.avro", "%s/.."})
    void rejectsManifestOfFileOutsideItsFolder(String name) throws IOException {
        archive(log);
        Path manifest = files("ledger.v1-0", ".json").getFirst();
        var json = (ObjectNode) new ObjectMapper().readTree(manifest.toFile());
        json.put("file", name.formatted("%020d".formatted(0)));
        Files.writeString(manifest, json.toString());
        assertThatThrownBy(() -> new ArchiveLog(folder))
                .isInstanceOf(AuditException.class)
                .hasMessageContaining("describes another segment");
    }

    @Test
    void folderStoreOpensNoFileOutsideItsFolder() {
        var store = new FolderStore(folder.resolve("archive"));
        assertThatThrownBy(() -> store.open("../archive-of-others/file"))
                .isInstanceOf(AuditException.class)
                .hasMessageContaining("is not in the archive");
    }

    /** Damages the second segment of a partition. */
    private void damage(String partition) throws IOException {
        Path file = files(partition, ".avro").get(1);
        byte[] bytes = Files.readAllBytes(file);
        bytes[bytes.length / 2] ^= 1;
        Files.write(file, bytes);
    }

    @Test
    void findsTruncatedLedgerBehindDamagedInputs() throws IOException {
        MemoryLog large = RecordedLogs.of(2, 3 * ChainVerifier.FINDINGS_MAX);
        archive(large, new SegmentLimits(2 * ChainVerifier.FINDINGS_MAX, 1 << 30));
        damage("cells.in-0");
        damage("ledger.v1-0");
        MemoryLog shorter = large.copy();
        shorter.of(LogVerifier.LEDGER, 1).removeLast();
        try (var joined = new JoinedLog(new ArchiveLog(folder), shorter)) {
            assertThat(joined.differences())
                    .singleElement()
                    .matches(each -> each.kind() == FindingKind.TRUNCATED && each.partition() == 1);
        }
        shorter.of(LogVerifier.LEDGER, 0).removeLast();
        try (var joined = new JoinedLog(new ArchiveLog(folder), shorter)) {
            assertThat(joined.differences())
                    .extracting(Finding::kind)
                    .as("the last segment of the first ledger is damaged")
                    .containsExactly(FindingKind.TRUNCATED, FindingKind.TRUNCATED);
        }
    }

    @Test
    void limitsDifferencesPerPartition() {
        MemoryLog large = RecordedLogs.of(2, 2 * ChainVerifier.FINDINGS_MAX);
        archive(large, SegmentLimits.DEFAULT);
        MemoryLog changed = large.copy();
        changed.of(LogVerifier.INPUTS, 0).replaceAll(ArchiveTest::later);
        changed.of(LogVerifier.INPUTS, 1).replaceAll(ArchiveTest::later);
        changed.of(LogVerifier.LEDGER, 1)
                .set(7, later(log.of(LogVerifier.LEDGER, 1).get(7)));
        try (var joined = new JoinedLog(new ArchiveLog(folder), changed)) {
            List<Finding> differences = joined.differences();
            assertThat(differences).hasSize(2 * ChainVerifier.FINDINGS_MAX + 1);
            assertThat(differences.getLast())
                    .matches(each -> each.kind() == FindingKind.CHANGED && each.partition() == 1 && each.offset() == 7);
        }
    }

    private static LogRecord later(LogRecord record) {
        return new LogRecord(
                record.topic(),
                record.partition(),
                record.offset(),
                record.timestamp().plusSeconds(1),
                record.key(),
                record.value());
    }

    @Test
    void findsRewrittenTopic() {
        archive(log);
        try (var joined = new JoinedLog(new ArchiveLog(folder), log)) {
            assertThat(joined.differences()).isEmpty();
        }
        MemoryLog rewritten = log.copy();
        LogRecord forged =
                RecordedLogs.forgedAfter(log.of(LogVerifier.LEDGER, 0).get(118), log);
        rewritten.of(LogVerifier.LEDGER, 0).removeLast();
        rewritten.add(
                LogVerifier.LEDGER,
                0,
                forged.timestamp(),
                forged.key().orElseThrow(),
                forged.value().orElseThrow());
        assertThat(LogVerifier.verify(rewritten, TimeRange.ALL).findings()).isEmpty();
        try (var joined = new JoinedLog(new ArchiveLog(folder), rewritten)) {
            assertThat(joined.differences())
                    .singleElement()
                    .matches(each -> each.kind() == FindingKind.CHANGED && each.offset() == 119);
        }
    }

    /** A log that fails after a number of records, like a reader that is killed. */
    private static final class FailingLog extends ForwardingLog {
        private final int records;

        FailingLog(AuditLog log, int records) {
            super(log);
            this.records = records;
        }

        @Override
        public void forEach(String topic, int partition, long from, long to, Predicate<LogRecord> action) {
            var count = new int[1];
            super.forEach(topic, partition, from, to, record -> {
                if (count[0]++ == records) {
                    throw new IllegalStateException("killed");
                }
                return action.test(record);
            });
        }
    }
}
