package dev.claimstream.history.streams;

import dev.claimstream.audit.AuditException;
import dev.claimstream.audit.AuditLog;
import dev.claimstream.audit.LogRecord;
import dev.claimstream.audit.LogVerifier;
import dev.claimstream.history.HistoryInput;
import dev.claimstream.history.HistoryObservation;
import dev.claimstream.history.LedgerFact;
import dev.claimstream.history.store.HistoryStore;
import dev.claimstream.kafka.AvroSerde;
import dev.claimstream.kafka.DecodeResult;
import dev.claimstream.kafka.RecordSerde;
import dev.claimstream.kafka.registry.RegistryException;
import dev.claimstream.kafka.registry.RegistryException.RegistryErrorCode;
import dev.claimstream.kafka.registry.SchemaRegistry;
import dev.claimstream.schemas.CellInputRecord;
import dev.claimstream.schemas.LedgerEvent;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.apache.avro.Schema;
import org.apache.avro.specific.SpecificRecord;

/**
 * Feeds a store with a log: the inputs of all cells by time, each with its ledger events.
 *
 * <p>It continues at the positions of the store. Not safe for several threads.
 */
public final class LogFold {
    /** Records that are read at once from a partition. */
    private static final int BATCH = 10_000;

    /** Inputs and events between two flushes. */
    private static final int FLUSH_EVERY = 200_000;

    private final AuditLog log;
    private final HistoryStore store;
    private final Consumer<String> warnings;
    private final RecordSerde<CellInputRecord> inputs;
    private final RecordSerde<LedgerEvent> ledger;

    /** @param warnings receives a line about records that are not in the log any more */
    public LogFold(AuditLog log, HistoryStore store, Consumer<String> warnings) {
        this.log = log;
        this.warnings = warnings;
        this.store = store;
        var schemas = new RecordedSchemas(log);
        inputs = AvroSerde.of(CellInputRecord.class, schemas);
        ledger = AvroSerde.of(LedgerEvent.class, schemas);
    }

    /** The schemas of a log. No schema is registered. */
    private record RecordedSchemas(AuditLog log) implements SchemaRegistry {
        @Override
        public int register(String subject, Schema schema) {
            return 0;
        }

        @Override
        public Schema byId(int id) {
            return log.schema(id)
                    .orElseThrow(() -> new RegistryException(
                            RegistryErrorCode.UNKNOWN_ID, "%s has no schema %d".formatted(log.location(), id), null));
        }
    }

    /**
     * The complete part of the log: all ledger events of the inputs before these offsets are in the ledger.
     *
     * @param inputs offset after the last complete input, by cell
     * @param events offset after the last ledger event, by partition
     */
    public record Cut(Map<Integer, Long> inputs, Map<Integer, Long> events) {
        public Cut {
            inputs = Map.copyOf(inputs);
            events = Map.copyOf(events);
        }
    }

    /** The whole log. An archive has every input of its ledger events. */
    public static Cut end(AuditLog log) {
        Map<Integer, Long> events = new TreeMap<>();
        log.partitions(LogVerifier.LEDGER).forEach(each -> events.put(each, log.end(LogVerifier.LEDGER, each)));
        Map<Integer, Long> inputs = new TreeMap<>();
        log.partitions(LogVerifier.INPUTS).forEach(each -> inputs.put(each, log.end(LogVerifier.INPUTS, each)));
        return new Cut(inputs, events);
    }

    /**
     * Folds everything up to a cut, and stores it.
     *
     * @return number of inputs and events
     * @throws AuditException if a record cannot be read; everything before it is stored
     */
    public long run(Cut cut) {
        SortedSet<Integer> cells = log.partitions(LogVerifier.INPUTS);
        List<CellReader> readers = new ArrayList<>();
        log.partitions(LogVerifier.LEDGER)
                .forEach(each -> readers.add(new CellReader(each, cells.contains(each), cut)));
        long count = 0;
        long unflushed = 0;
        for (Optional<CellReader> next = earliest(readers); next.isPresent(); next = earliest(readers)) {
            HistoryInput input = next.get().take();
            store.apply(input);
            long more = 1L + input.facts().size();
            count += more;
            unflushed += more;
            if (unflushed >= FLUSH_EVERY) {
                flush(readers);
                unflushed = 0;
            }
        }
        flush(readers);
        return count;
    }

    private void flush(List<CellReader> readers) {
        readers.forEach(CellReader::keepPositions);
        store.flush();
    }

    /** The reader with the earliest input; empty at the cut. A failure is thrown after everything before it is stored. */
    private Optional<CellReader> earliest(List<CellReader> readers) {
        try {
            readers.forEach(CellReader::check);
        } catch (RuntimeException e) {
            flush(readers);
            throw e;
        }
        CellReader first = null;
        for (CellReader reader : readers) {
            if (reader.peekMicros().isPresent() && (first == null || reader.time() < first.time())) {
                first = reader;
            }
        }
        return Optional.ofNullable(first);
    }

    /** The inputs of one cell with their events; for the router the events alone. */
    private final class CellReader {
        private final int cell;
        private final boolean hasInputs;
        private final PartitionReader<CellInputRecord> inputs;
        private final PartitionReader<LedgerEvent> events;

        CellReader(int cell, boolean hasInputs, Cut cut) {
            this.cell = cell;
            this.hasInputs = hasInputs;
            inputs = new PartitionReader<>(
                    LogVerifier.INPUTS, cell, hasInputs ? cut.inputs().getOrDefault(cell, 0L) : 0, LogFold.this.inputs);
            events = new PartitionReader<>(
                    LogVerifier.LEDGER, cell, cut.events().getOrDefault(cell, 0L), LogFold.this.ledger);
        }

        void check() {
            inputs.check();
            events.check();
        }

        /** The time of the next input; empty at the cut. */
        Optional<Long> peekMicros() {
            Optional<PartitionReader.Entry<CellInputRecord>> input = inputs.peek();
            Optional<PartitionReader.Entry<LedgerEvent>> event = events.peek();
            if (input.isEmpty() && !isWithoutInput(event)) {
                return Optional.empty();
            }
            return Optional.of(time());
        }

        /** Whether the input of an event is not in the log: it was deleted, or is one of the router. */
        private boolean isWithoutInput(Optional<PartitionReader.Entry<LedgerEvent>> event) {
            return event.filter(each -> !hasInputs || each.value().getOffset() < inputs.next())
                    .isPresent();
        }

        long time() {
            Optional<PartitionReader.Entry<LedgerEvent>> event =
                    events.peek().filter(each -> isBeforeInput(each.value()));
            return event.map(each -> EventReader.micros(each.value().getAt()))
                    .or(() -> inputs.peek()
                            .map(each -> EventReader.micros(each.value().getAt())))
                    .orElse(Long.MAX_VALUE);
        }

        private boolean isBeforeInput(LedgerEvent event) {
            return inputs.peek()
                    .map(input -> event.getOffset() < input.offset())
                    .orElse(true);
        }

        HistoryInput take() {
            Optional<PartitionReader.Entry<LedgerEvent>> event =
                    events.peek().filter(each -> isBeforeInput(each.value()));
            if (event.isPresent()) {
                long offset = event.get().value().getOffset();
                return new HistoryInput(
                        cell,
                        EventReader.micros(event.get().value().getAt()),
                        new HistoryObservation.OtherInput(),
                        facts(offset));
            }
            PartitionReader.Entry<CellInputRecord> input = inputs.take();
            return new HistoryInput(
                    cell,
                    EventReader.micros(input.value().getAt()),
                    EventReader.observation(input.value()),
                    facts(input.offset()));
        }

        private List<LedgerFact> facts(long offset) {
            List<LedgerFact> facts = new ArrayList<>();
            while (events.peek()
                    .filter(each -> each.value().getOffset() == offset)
                    .isPresent()) {
                EventReader.fact(events.take().value()).ifPresent(facts::add);
            }
            return facts;
        }

        void keepPositions() {
            inputs.keepPosition();
            events.keepPosition();
        }
    }

    /** The records of a partition up to the cut, read in batches. */
    private final class PartitionReader<T extends SpecificRecord> {
        private final String topic;
        private final int partition;
        private final long end;
        private final RecordSerde<T> serde;
        private final Deque<Entry<T>> batch = new ArrayDeque<>();
        private Optional<RuntimeException> failure = Optional.empty();
        private long fetched;
        private long next;

        private record Entry<T>(long offset, T value) {}

        PartitionReader(String topic, int partition, long end, RecordSerde<T> serde) {
            this.topic = topic;
            this.partition = partition;
            this.end = end;
            this.serde = serde;
            next = store.position(topic, partition).orElse(0L);
            if (end > 0 && next > end) {
                throw new AuditException(
                        "%s, partition %d, ends at offset %d, and the history has it up to offset %d: the topic was truncated or created again. Delete the file of the history; it is built again from the log."
                                .formatted(topic, partition, end, next));
            }
            long begin = next < end ? log.begin(topic, partition) : next;
            if (begin > next) {
                warnings.accept(
                        "%s, partition %d: offsets %d to %d are not in the log any more. What happened then is not in the history; an archive keeps it."
                                .formatted(topic, partition, next, begin - 1));
                next = begin;
            }
            fetched = next;
        }

        /** Offset of the next record that is taken, or the offset after the last one. */
        long next() {
            return next;
        }

        /** The next record; empty at the cut, and before a record that cannot be read. */
        Optional<Entry<T>> peek() {
            try {
                while (batch.isEmpty() && fetched < end && failure.isEmpty()) {
                    long from = fetched;
                    fetched = end;
                    log.forEach(topic, partition, from, end, this::add);
                }
            } catch (RuntimeException e) { // reported between two inputs, so that none is applied in part
                failure = Optional.of(e);
                fetched = batch.isEmpty() ? next : batch.getLast().offset() + 1;
            }
            return Optional.ofNullable(batch.peek());
        }

        /** Throws the failure that ends the records. */
        void check() {
            if (peek().isEmpty() && failure.isPresent()) {
                throw failure.get();
            }
        }

        /** Adds a record to the batch; returns whether to continue. An unreadable record ends the batch before it. */
        private boolean add(LogRecord record) {
            DecodeResult<T> decoded = serde.read(record.topic(), record.value().orElse(null));
            if (decoded instanceof DecodeResult.Value<T>(T value)) {
                batch.add(new Entry<>(record.offset(), value));
                fetched = batch.size() < BATCH ? end : record.offset() + 1;
                return batch.size() < BATCH;
            }
            fetched = record.offset();
            if (batch.isEmpty()) {
                throw unreadable(
                        record, decoded instanceof DecodeResult.Failure<T> bad ? bad.message() : "it has no value");
            }
            return false;
        }

        Entry<T> take() {
            Entry<T> taken = batch.remove();
            next = taken.offset() + 1;
            return taken;
        }

        void keepPosition() {
            if (end > 0) {
                store.position(
                        topic,
                        partition,
                        failure.isEmpty() && batch.isEmpty() && fetched >= end ? Math.max(next, end) : next);
            }
        }

        private static AuditException unreadable(LogRecord record, String why) {
            return new AuditException(
                    "%s cannot be read: %s. Use the release that wrote the record, or a later one; claimstream audit verify reports changed records."
                            .formatted(record.position(), why));
        }
    }
}
