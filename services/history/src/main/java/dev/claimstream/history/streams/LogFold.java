package dev.claimstream.history.streams;

import dev.claimstream.audit.AuditException;
import dev.claimstream.audit.AuditLog;
import dev.claimstream.audit.LogVerifier;
import dev.claimstream.audit.OffsetGap;
import dev.claimstream.history.HistoryInput;
import dev.claimstream.history.HistoryObservation;
import dev.claimstream.history.LedgerFact;
import dev.claimstream.history.store.HistoryStore;
import dev.claimstream.history.store.LogGap;
import dev.claimstream.kafka.AvroSerde;
import dev.claimstream.kafka.registry.RegistryException;
import dev.claimstream.kafka.registry.RegistryException.RegistryErrorCode;
import dev.claimstream.kafka.registry.SchemaRegistry;
import dev.claimstream.schemas.CellInputRecord;
import dev.claimstream.schemas.LedgerEvent;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.PriorityQueue;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.apache.avro.Schema;

/**
 * Feeds a store with a log: the inputs of all cells by time, each with its ledger events.
 *
 * <p>It continues at the positions of the store. Not safe for several threads.
 */
public final class LogFold {
    /** Inputs and events between two flushes. */
    private static final int FLUSH_EVERY = 500_000;

    private final AuditLog log;
    private final HistoryStore store;
    private final Consumer<String> warnings;
    private final PartitionReader.RecordFormat<CellInputRecord, InputContent> inputs;
    private final PartitionReader.RecordFormat<LedgerEvent, EventContent> ledger;

    /** @param warnings receives a line about records that are not in the log any more */
    public LogFold(AuditLog log, HistoryStore store, Consumer<String> warnings) {
        this.log = log;
        this.warnings = warnings;
        this.store = store;
        var schemas = new RecordedSchemas(log);
        inputs = new PartitionReader.RecordFormat<>(AvroSerde.of(CellInputRecord.class, schemas), InputContent::of);
        ledger = new PartitionReader.RecordFormat<>(AvroSerde.of(LedgerEvent.class, schemas), EventContent::of);
    }

    /** What is kept of an input. */
    private record InputContent(long atMicros, HistoryObservation observation) {
        static InputContent of(CellInputRecord input) {
            return new InputContent(EventReader.micros(input.getAt()), EventReader.observation(input));
        }
    }

    /** What is kept of a ledger event. */
    private record EventContent(long input, long atMicros, Optional<LedgerFact> fact) {
        static EventContent of(LedgerEvent event) {
            return new EventContent(event.getOffset(), EventReader.micros(event.getAt()), EventReader.fact(event));
        }
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
        return run(cut, () -> false);
    }

    /**
     * Folds up to a cut, and stores what was folded.
     *
     * @param isStopped whether to end before the cut; asked before each input
     * @return number of inputs and events
     * @throws AuditException if a record cannot be read; everything before it is stored
     */
    public long run(Cut cut, BooleanSupplier isStopped) {
        try (ExecutorService reading = Executors.newSingleThreadExecutor(
                Thread.ofPlatform().daemon().name("history-reader").factory())) {
            SortedSet<Integer> cells = log.partitions(LogVerifier.INPUTS);
            List<CellReader> readers = new ArrayList<>();
            log.partitions(LogVerifier.LEDGER)
                    .forEach(each -> readers.add(new CellReader(each, cells.contains(each), cut, reading)));
            return run(readers, isStopped);
        }
    }

    private long run(List<CellReader> readers, BooleanSupplier isStopped) {
        long count = 0;
        long unflushed = 0;
        var queue = new PriorityQueue<CellReader>(
                Comparator.comparingLong(CellReader::time).thenComparingInt(CellReader::cell));
        readers.forEach(each -> add(each, queue, readers));
        while (!queue.isEmpty() && !isStopped.getAsBoolean()) {
            CellReader next = queue.remove();
            HistoryInput input = next.take();
            store.apply(input);
            add(next, queue, readers);
            long more = 1L + input.facts().size();
            count += more;
            unflushed += more;
            if (unflushed >= FLUSH_EVERY) {
                readers.forEach(CellReader::keepPositions);
                store.flushBehind();
                unflushed = 0;
            }
        }
        flush(readers);
        return count;
    }

    /** Whether records before a cut that are not folded are lost. A log that is opened now may have them. */
    public boolean hasGap(Cut cut) {
        return hasGap(LogVerifier.INPUTS, cut.inputs()) || hasGap(LogVerifier.LEDGER, cut.events());
    }

    private boolean hasGap(String topic, Map<Integer, Long> ends) {
        return ends.entrySet().stream().anyMatch(each -> {
            long position = store.position(topic, each.getKey()).orElse(0);
            return position < each.getValue()
                    && !log.gaps(topic, each.getKey(), position, each.getValue())
                            .isEmpty();
        });
    }

    /** Number of offsets before a cut that are not folded. */
    public long lag(Cut cut) {
        return lag(LogVerifier.INPUTS, cut.inputs()) + lag(LogVerifier.LEDGER, cut.events());
    }

    private long lag(String topic, Map<Integer, Long> ends) {
        return ends.entrySet().stream()
                .mapToLong(each -> Math.max(
                        0,
                        each.getValue() - store.position(topic, each.getKey()).orElse(0)))
                .sum();
    }

    private void flush(List<CellReader> readers) {
        readers.forEach(CellReader::keepPositions);
        store.flush();
    }

    /** Adds a reader that is not at the cut. A failure is thrown after everything before it is stored. */
    private void add(CellReader reader, PriorityQueue<CellReader> queue, List<CellReader> all) {
        try {
            if (reader.findNext()) {
                queue.add(reader);
            }
        } catch (RuntimeException e) {
            flush(all);
            throw e;
        }
    }

    /** The inputs of one cell with their events; for the router the events alone. */
    private final class CellReader {
        private final int cell;
        private final boolean hasInputs;
        private final PartitionReader<CellInputRecord, InputContent> inputs;
        private final PartitionReader<LedgerEvent, EventContent> events;
        private long timeMicros;

        CellReader(int cell, boolean hasInputs, Cut cut, Executor reading) {
            this.cell = cell;
            this.hasInputs = hasInputs;
            long end = hasInputs ? cut.inputs().getOrDefault(cell, 0L) : 0;
            inputs = new PartitionReader<>(log, range(LogVerifier.INPUTS, end), LogFold.this.inputs, reading);
            events = new PartitionReader<>(
                    log, range(LogVerifier.LEDGER, cut.events().getOrDefault(cell, 0L)), LogFold.this.ledger, reading);
        }

        private PartitionReader.RecordRange range(String topic, long end) {
            OptionalLong position = store.position(topic, cell);
            var range = PartitionReader.RecordRange.of(log, topic, cell, position.orElse(0), end);
            range.gaps().forEach(gap -> report(topic, gap, position.isEmpty() && gap.from() == 0));
            return range;
        }

        /** @param isBegin whether the gap is before a log that the history has not read yet: nothing of the history is missing */
        private void report(String topic, OffsetGap gap, boolean isBegin) {
            warnings.accept(
                    "%s, partition %d: offsets %d to %d are not in the log any more. What happened then is not in the history; an archive keeps it."
                            .formatted(topic, cell, gap.from(), gap.to() - 1));
            if (!isBegin) {
                store.add(new LogGap(topic, cell, gap.from(), gap.to() - 1));
            }
        }

        int cell() {
            return cell;
        }

        /** Reads up to the next input; false at the cut. */
        boolean findNext() {
            inputs.check();
            events.check();
            if (inputs.peek().isEmpty() && !isWithoutInput(events.peek())) {
                return false;
            }
            timeMicros = eventBeforeInput()
                    .map(EventContent::atMicros)
                    .or(() -> inputs.peek().map(each -> each.value().atMicros()))
                    .orElseThrow();
            return true;
        }

        /** The time of the next input. */
        long time() {
            return timeMicros;
        }

        /** Whether the input of an event is not in the log: it was deleted, or is one of the router. */
        private boolean isWithoutInput(Optional<PartitionReader.PartitionRecord<EventContent>> event) {
            return event.filter(each -> !hasInputs || each.value().input() < inputs.next())
                    .isPresent();
        }

        /** The next event, if its input is before the next input. */
        private Optional<EventContent> eventBeforeInput() {
            Optional<PartitionReader.PartitionRecord<InputContent>> input = inputs.peek();
            return events.peek()
                    .map(PartitionReader.PartitionRecord::value)
                    .filter(each ->
                            input.isEmpty() || each.input() < input.get().offset());
        }

        HistoryInput take() {
            Optional<EventContent> event = eventBeforeInput();
            if (event.isPresent()) {
                return new HistoryInput(
                        cell,
                        event.get().atMicros(),
                        new HistoryObservation.OtherInput(),
                        facts(event.get().input()));
            }
            PartitionReader.PartitionRecord<InputContent> input = inputs.take();
            return new HistoryInput(
                    cell, input.value().atMicros(), input.value().observation(), facts(input.offset()));
        }

        private List<LedgerFact> facts(long input) {
            List<LedgerFact> facts = new ArrayList<>();
            while (events.peek().filter(each -> each.value().input() == input).isPresent()) {
                events.take().value().fact().ifPresent(facts::add);
            }
            return facts;
        }

        void keepPositions() {
            inputs.position().ifPresent(next -> store.position(LogVerifier.INPUTS, cell, next));
            events.position().ifPresent(next -> store.position(LogVerifier.LEDGER, cell, next));
        }
    }
}
