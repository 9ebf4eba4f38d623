package dev.claimstream.history.streams;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.claimstream.audit.AuditException;
import dev.claimstream.audit.AuditLog;
import dev.claimstream.audit.LogRecord;
import dev.claimstream.audit.LogVerifier;
import dev.claimstream.history.store.AccessScope;
import dev.claimstream.history.store.HistoryStore;
import dev.claimstream.history.store.StoreSettings;
import dev.claimstream.kafka.AvroSerde;
import dev.claimstream.kafka.registry.SchemaRegistry;
import dev.claimstream.schemas.AllocatedDecision;
import dev.claimstream.schemas.AllocationRecord;
import dev.claimstream.schemas.CellInputRecord;
import dev.claimstream.schemas.DecisionRecord;
import dev.claimstream.schemas.DeviceIdRecord;
import dev.claimstream.schemas.DeviceResultRecord;
import dev.claimstream.schemas.ItemIdRecord;
import dev.claimstream.schemas.LedgerEvent;
import dev.claimstream.schemas.TickRecord;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.apache.avro.Schema;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LogFoldTest {
    private static final Instant BEGIN = Instant.parse("2026-03-01T12:00:00Z");

    @TempDir
    private Path folder = Path.of("");

    private final RecordList log = new RecordList();
    private final List<String> warnings = new ArrayList<>();
    private HistoryStore store;

    @BeforeEach
    void openStore() {
        store = HistoryStore.open(new StoreSettings(Optional.empty(), folder, "256MB", 1), 1);
    }

    @AfterEach
    void closeStore() {
        store.close();
    }

    private void fold() {
        new LogFold(log, store, warnings::add).run(LogFold.end(log));
    }

    private List<Object> causes() {
        return store
                .reader()
                .sql("SELECT claim || ' ' || cause FROM intervals ORDER BY allocated", AccessScope.ADMINISTRATOR)
                .rows()
                .stream()
                .map(row -> row.getFirst().orElseThrow())
                .toList();
    }

    @Test
    void continuesAtStoredPositions() {
        log.addInput(decision("a", 1).setAllocated(allocated()).build());
        fold();
        assertThat(causes()).containsExactly("a ");
        log.addInput(decision("a", 1).setReleased(true).build());
        log.addInput(decision("b", 2).setAllocated(allocated()).build());
        fold();
        fold();
        assertThat(causes()).containsExactly("a released", "b ");
        assertThat(store.figures().overlaps()).isZero();
        assertThat(warnings).isEmpty();
    }

    @Test
    void keepsWhatIsBeforeUnreadableRecord() {
        log.addInput(decision("a", 1).setAllocated(allocated()).build());
        log.addUnreadable();
        assertThatThrownBy(this::fold)
                .isInstanceOf(AuditException.class)
                .hasMessageStartingWith("ledger.v1, partition 0, offset 1 cannot be read: ");
        assertThat(causes()).containsExactly("a ");
    }

    @Test
    void rejectsTopicThatWasCreatedAgain() {
        log.addInput(decision("a", 1).setAllocated(allocated()).build());
        log.addInput(decision("a", 1).setReleased(true).build());
        fold();
        log.truncate();
        assertThatThrownBy(this::fold).hasMessageContaining("the topic was truncated or created again");
    }

    @Test
    void warnsAboutRecordsThatAreDeleted() {
        log.addInput(decision("a", 1).setAllocated(allocated()).build());
        log.addInput(decision("b", 2).setAllocated(allocated()).build());
        log.begin = 1;
        fold();
        assertThat(causes()).containsExactly("b ");
        assertThat(warnings).anyMatch(each -> each.startsWith("ledger.v1, partition 0: offsets 0 to 0 are not"));
    }

    @Test
    void stopsBetweenInputsAndContinuesThere() {
        log.addInput(decision("a", 1).setAllocated(allocated()).build());
        log.addInput(decision("a", 1).setReleased(true).build());
        var asked = new AtomicInteger();
        long count = new LogFold(log, store, warnings::add).run(LogFold.end(log), () -> asked.incrementAndGet() > 1);
        assertThat(count).as("an input and its event").isEqualTo(2);
        assertThat(causes()).containsExactly("a ");
        fold();
        assertThat(causes()).containsExactly("a released");
    }

    @Test
    void storesGapOnceAndSaysItsOffsets() {
        log.addInput(decision("a", 1).setAllocated(allocated()).build());
        fold();
        log.addInput(decision("a", 1).setReleased(true).build());
        log.addInput(decision("b", 2).setAllocated(allocated()).build());
        log.begin = 2;
        assertThat(new LogFold(log, store, warnings::add).hasGap(LogFold.end(log)))
                .isTrue();
        fold();
        fold();
        assertThat(store.figures().gaps())
                .as("one of the inputs, one of the ledger")
                .isEqualTo(2);
        assertThat(store.reader()
                        .sql(
                                "SELECT topic || ' ' || first_offset || ' ' || last_offset FROM log_gaps ORDER BY 1",
                                AccessScope.ADMINISTRATOR)
                        .rows())
                .containsExactly(List.of(Optional.of("cells.in 1 1")), List.of(Optional.of("ledger.v1 1 1")));
        assertThat(warnings).hasSize(2).allMatch(each -> each.contains(": offsets 1 to 1 are not in the log any more"));
        assertThat(new LogFold(log, store, warnings::add).hasGap(LogFold.end(log)))
                .isFalse();
    }

    @Test
    void failsWhenRecordsAreDeletedWhileTheyAreRead() {
        log.addInput(decision("a", 1).setAllocated(allocated()).build());
        log.addInput(decision("b", 2).setAllocated(allocated()).build());
        log.deletedAtRead = 1;
        assertThatThrownBy(this::fold).hasMessageContaining("offsets 0 to 0 were deleted while they were read");
        assertThat(store.figures().gaps()).isZero();
        fold();
        assertThat(causes()).containsExactly("b ");
    }

    @Test
    void keepsEventsBackUntilInputsOfCellAreCommitted() {
        log.addInput(decision("a", 1).setAllocated(allocated()).build());
        new LogFold(log, store, warnings::add).run(new LogFold.Cut(Map.of(), Map.of(0, 1L)));
        assertThat(causes()).isEmpty();
        fold();
        assertThat(causes()).containsExactly("a ");
    }

    private static DecisionRecord.Builder decision(String claim, long number) {
        return DecisionRecord.newBuilder()
                .setCell(0)
                .setNumber(number)
                .setAt(BEGIN)
                .setClaimUid("uid-" + claim)
                .setNamespace("team")
                .setName(claim)
                .setItem(new ItemIdRecord("claim", "team", claim));
    }

    private static AllocatedDecision allocated() {
        DeviceResultRecord result = DeviceResultRecord.newBuilder()
                .setRequest("gpus")
                .setDevice(new DeviceIdRecord("gpu.example.com", "node-1", "gpu-0"))
                .build();
        return AllocatedDecision.newBuilder()
                .setNode("node-1")
                .setAllocation(AllocationRecord.newBuilder()
                        .setResults(List.of(result))
                        .build())
                .build();
    }

    /** Inputs and ledger of one cell, one event per input. */
    private static final class RecordList implements AuditLog {
        private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

        private final SchemaRegistry registry = SchemaRegistry.inMemory();
        private final AvroSerde<CellInputRecord> inputs = AvroSerde.of(CellInputRecord.class, registry);
        private final AvroSerde<LedgerEvent> ledger = AvroSerde.of(LedgerEvent.class, registry);
        private final List<LogRecord> records = new ArrayList<>();
        private long begin;
        private long deletedAtRead;

        void addInput(DecisionRecord decision) {
            long offset = end(LogVerifier.INPUTS, 0);
            Instant at = BEGIN.plusSeconds(offset);
            add(
                    LogVerifier.INPUTS,
                    inputs.write(
                            LogVerifier.INPUTS,
                            CellInputRecord.newBuilder()
                                    .setAt(at)
                                    .setTick(new TickRecord())
                                    .build()));
            add(
                    LogVerifier.LEDGER,
                    ledger.write(
                            LogVerifier.LEDGER,
                            LedgerEvent.newBuilder()
                                    .setCell(0)
                                    .setOffset(offset)
                                    .setIndex(0)
                                    .setAt(at)
                                    .setEvent("decision")
                                    .setDecision(decision)
                                    .setPreviousHash(NOTHING)
                                    .setHash(NOTHING)
                                    .build()));
        }

        void addUnreadable() {
            add(LogVerifier.LEDGER, new byte[] {1, 2, 3});
        }

        private void add(String topic, byte[] value) {
            records.add(new LogRecord(topic, 0, end(topic, 0), BEGIN, Optional.empty(), Optional.of(value)));
        }

        void truncate() {
            records.removeIf(each -> each.offset() > 0);
        }

        @Override
        public SortedSet<Integer> partitions(String topic) {
            return new TreeSet<>(List.of(0));
        }

        @Override
        public long begin(String topic, int partition) {
            return begin;
        }

        @Override
        public long end(String topic, int partition) {
            return records.stream().filter(each -> each.topic().equals(topic)).count();
        }

        @Override
        public long offsetAt(String topic, int partition, Instant time) {
            return begin;
        }

        @Override
        public void forEach(String topic, int partition, long from, long to, Predicate<LogRecord> action) {
            begin = Math.max(begin, deletedAtRead);
            for (LogRecord each : List.copyOf(records)) {
                boolean isWanted =
                        each.topic().equals(topic) && each.offset() >= Math.max(begin, from) && each.offset() < to;
                if (isWanted && !action.test(each)) {
                    return;
                }
            }
        }

        @Override
        public Optional<Schema> schema(int id) {
            return Optional.of(registry.byId(id));
        }

        @Override
        public String location() {
            return "memory";
        }

        @Override
        public void close() {}
    }
}
