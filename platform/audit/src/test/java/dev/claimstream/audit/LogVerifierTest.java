package dev.claimstream.audit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.audit.Finding.FindingKind;
import dev.claimstream.audit.LogVerifier.Report;
import dev.claimstream.audit.LogVerifier.TimeRange;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.function.BiFunction;
import org.junit.jupiter.api.Test;

/** Verification of ledgers: intact, and after each kind of modification. */
final class LogVerifierTest {
    private static final int MODIFICATIONS = 1000;
    private static final int CELLS = 2;
    private static final MemoryLog INTACT = RecordedLogs.of(CELLS, 120);

    /** A modification of a ledger, with the kind of a finding that describes it. */
    private record Modification(String name, BiFunction<List<LogRecord>, Random, EventSpan> change, FindingKind kind) {}

    private static final List<Modification> ALL = List.of(
            new Modification("flipped bit", LogVerifierTest::flipBit, FindingKind.CHANGED),
            new Modification("other key", LogVerifierTest::changeKey, FindingKind.CHANGED),
            new Modification("cut value", LogVerifierTest::cutValue, FindingKind.CHANGED),
            new Modification("deleted event", LogVerifierTest::delete, FindingKind.MISSING),
            new Modification("deleted run", LogVerifierTest::deleteRun, FindingKind.MISSING),
            new Modification("foreign bytes", LogVerifierTest::insertBytes, FindingKind.CHANGED),
            new Modification("repeated event", LogVerifierTest::repeat, FindingKind.INSERTED),
            new Modification("swapped neighbours", LogVerifierTest::swapNeighbours, FindingKind.REORDERED),
            new Modification("swapped events", LogVerifierTest::swap, FindingKind.REORDERED));

    @Test
    void findsNothingInIntactLog() {
        Report report = LogVerifier.verify(INTACT, TimeRange.ALL);
        assertThat(report.findings()).isEmpty();
        assertThat(report.events()).isEqualTo(CELLS * 120L);
        assertThat(report.ledgers())
                .allMatch(LogVerifier.LedgerSummary::isComplete)
                .allSatisfy(each -> {
                    assertThat(each.compared()).isEqualTo(each.events());
                    assertThat(each.head()).hasSize(64);
                });
    }

    @Test
    void findsEachRandomModification() {
        long seed = Long.getLong("audit.seed", System.nanoTime());
        System.out.printf("LogVerifierTest: -Daudit.seed=%d%n", seed);
        var random = new Random(seed);
        for (int i = 0; i < MODIFICATIONS; i++) {
            Modification modification = ALL.get(i % ALL.size());
            int cell = random.nextInt(CELLS);
            MemoryLog log = INTACT.copy();
            List<LogRecord> records = new ArrayList<>(log.of(LogVerifier.LEDGER, cell));
            EventSpan place = modification.change.apply(records, random);
            log.replace(LogVerifier.LEDGER, cell, records);
            List<Finding> findings = LogVerifier.verify(log, TimeRange.ALL).findings();
            assertThat(findings)
                    .as("seed %d, %s at %s of cell %d", seed, modification.name(), place, cell)
                    .isNotEmpty()
                    .allMatch(each -> each.partition() == cell)
                    .anyMatch(each -> each.kind() == modification.kind && place.contains(each.offset()));
        }
    }

    @Test
    void findsForgedEventWithValidHash() {
        MemoryLog log = INTACT.copy();
        List<LogRecord> records = new ArrayList<>(log.of(LogVerifier.LEDGER, 0));
        // an event that continues the chain, but the next event continues from another one
        records.set(5, RecordedLogs.forgedAfter(records.get(4), log));
        log.replace(LogVerifier.LEDGER, 0, records);
        assertThat(LogVerifier.verify(log, TimeRange.ALL).findings())
                .anyMatch(each -> each.kind() == FindingKind.MISSING && each.offset() == 6);
        records = new ArrayList<>(INTACT.of(LogVerifier.LEDGER, 0));
        records.add(5, RecordedLogs.forgedAfter(records.get(4), log));
        log.replace(LogVerifier.LEDGER, 0, records);
        assertThat(LogVerifier.verify(log, TimeRange.ALL).findings())
                .singleElement()
                .matches(each -> each.kind() == FindingKind.INSERTED && each.offset() == 5);
    }

    @Test
    void doesNotFindDeletedEndByItself() {
        MemoryLog log = INTACT.copy();
        List<LogRecord> records = log.of(LogVerifier.LEDGER, 0);
        records.subList(records.size() - 3, records.size()).clear();
        assertThat(LogVerifier.verify(log, TimeRange.ALL).findings()).isEmpty();
    }

    @Test
    void verifiesFromFirstAvailableEventAfterRetention() {
        MemoryLog log = INTACT.copy();
        log.expire(LogVerifier.LEDGER, 0, 7);
        log.expire(LogVerifier.INPUTS, 0, 60);
        Report report = LogVerifier.verify(log, TimeRange.ALL);
        assertThat(report.findings()).isEmpty();
        assertThat(report.ledgers().getFirst().isComplete()).isFalse();
        assertThat(report.ledgers().getFirst().compared())
                .isLessThan(report.ledgers().getFirst().events());
    }

    @Test
    void comparesEventsWithInputs() {
        MemoryLog log = INTACT.copy();
        List<LogRecord> inputs = new ArrayList<>(log.of(LogVerifier.INPUTS, 1));
        inputs.remove(40); // all later inputs get the place of the one before
        log.replace(LogVerifier.INPUTS, 1, inputs);
        List<Finding> findings = LogVerifier.verify(log, TimeRange.ALL).findings();
        assertThat(findings).allMatch(each -> each.kind() == FindingKind.INPUT && each.partition() == 1);
        assertThat(findings.getFirst().message()).contains("input 41 of cells.in");
    }

    @Test
    void verifiesTimeRangeOnly() {
        MemoryLog log = INTACT.copy();
        List<LogRecord> records = new ArrayList<>(log.of(LogVerifier.LEDGER, 0));
        records.remove(10);
        log.replace(LogVerifier.LEDGER, 0, records);
        var late = new TimeRange(Optional.of(RecordedLogs.START.plusSeconds(60)), Optional.empty());
        var early = new TimeRange(Optional.empty(), Optional.of(RecordedLogs.START.plusSeconds(5)));
        assertThat(LogVerifier.verify(log, late).findings()).isEmpty();
        assertThat(LogVerifier.verify(log, early).findings()).isEmpty();
        assertThat(LogVerifier.verify(log, TimeRange.ALL).findings()).hasSize(1);
    }

    // ---- modifications

    /** The offsets at which a modification must be found. */
    private record EventSpan(long first, long last) {
        static EventSpan of(long offset) {
            return new EventSpan(offset, offset);
        }

        boolean contains(long offset) {
            return first <= offset && offset <= last;
        }
    }

    private static EventSpan flipBit(List<LogRecord> records, Random random) {
        int position = random.nextInt(records.size());
        byte[] value = records.get(position).value().orElseThrow().clone();
        value[random.nextInt(value.length)] ^= (byte) (1 << random.nextInt(8));
        records.set(
                position,
                with(records.get(position), records.get(position).key().orElseThrow(), value));
        return EventSpan.of(position);
    }

    private static EventSpan changeKey(List<LogRecord> records, Random random) {
        int position = random.nextInt(records.size());
        LogRecord record = records.get(position);
        records.set(position, with(record, RecordedLogs.key("7"), record.value().orElseThrow()));
        return EventSpan.of(position);
    }

    private static EventSpan cutValue(List<LogRecord> records, Random random) {
        int position = random.nextInt(records.size());
        LogRecord record = records.get(position);
        byte[] value = record.value().orElseThrow();
        records.set(
                position,
                with(record, record.key().orElseThrow(), java.util.Arrays.copyOf(value, random.nextInt(value.length))));
        return EventSpan.of(position);
    }

    private static EventSpan delete(List<LogRecord> records, Random random) {
        int position = random.nextInt(records.size() - 1);
        records.remove(position);
        return EventSpan.of(position);
    }

    private static EventSpan deleteRun(List<LogRecord> records, Random random) {
        int position = random.nextInt(records.size() - 1);
        records.subList(position, position + 1 + random.nextInt(records.size() - 1 - position))
                .clear();
        return EventSpan.of(position);
    }

    private static EventSpan insertBytes(List<LogRecord> records, Random random) {
        int position = random.nextInt(records.size() + 1);
        byte[] value = new byte[random.nextInt(300)];
        random.nextBytes(value);
        records.add(position, with(records.getFirst(), records.getFirst().key().orElseThrow(), value));
        return EventSpan.of(position);
    }

    private static EventSpan repeat(List<LogRecord> records, Random random) {
        int position = random.nextInt(records.size());
        int later = position + 1 + random.nextInt(records.size() - position);
        records.add(later, records.get(position));
        return EventSpan.of(later);
    }

    private static EventSpan swapNeighbours(List<LogRecord> records, Random random) {
        int position = random.nextInt(records.size() - 1);
        Collections.swap(records, position, position + 1);
        return new EventSpan(position, position + 1);
    }

    private static EventSpan swap(List<LogRecord> records, Random random) {
        int position = random.nextInt(records.size() - 3);
        int other = position + 2 + random.nextInt(records.size() - 2 - position);
        Collections.swap(records, position, other);
        return new EventSpan(position, other);
    }

    private static LogRecord with(LogRecord record, byte[] key, byte[] value) {
        return new LogRecord(
                record.topic(),
                record.partition(),
                record.offset(),
                record.timestamp(),
                Optional.of(key),
                Optional.of(value));
    }
}
