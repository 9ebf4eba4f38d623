package dev.claimstream.audit.streams;

import dev.claimstream.allocation.cell.Cell;
import dev.claimstream.allocation.cell.CellIdentity;
import dev.claimstream.allocation.cell.Input;
import dev.claimstream.allocation.cell.Output;
import dev.claimstream.allocation.cell.State;
import dev.claimstream.audit.AuditException;
import dev.claimstream.audit.AuditLog;
import dev.claimstream.audit.LogRecord;
import dev.claimstream.audit.LogVerifier;
import dev.claimstream.audit.streams.RecordedEvents.RecordedEvent;
import dev.claimstream.dra.Selectors;
import dev.claimstream.kafka.AvroSerde;
import dev.claimstream.kafka.DecodeResult;
import dev.claimstream.kafka.RecordSerde;
import dev.claimstream.schemas.CellInputRecord;
import dev.claimstream.schemas.LedgerEvent;
import dev.claimstream.schemas.StateRow;
import dev.claimstream.wire.CellInputReader;
import dev.claimstream.wire.StateRowCodec;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.UnaryOperator;

/** Replays one cell. It is used once. */
final class CellReplay {
    private static final String ROWS = "cell-rows";
    private static final String SNAPSHOT = "snapshot";
    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    private final AuditLog log;
    private final Selectors selectors;
    private final CellIdentity identity;
    private final UnaryOperator<Input> change;
    private final RecordSerde<CellInputRecord> inputs;
    private final RecordSerde<StateRow> rows;
    private final RecordedEvents recorded;
    private final LedgerChain chain;
    private final SortedSet<String> engines = new TreeSet<>();
    private Cell cell;
    private Optional<Divergence> divergence = Optional.empty();
    private long count;
    private long events;
    private long otherBytes;
    private long snapshots;
    private ByteBuffer head = NOTHING;

    CellReplay(AuditLog log, Selectors selectors, CellIdentity identity, UnaryOperator<Input> change) {
        this.log = log;
        this.selectors = selectors;
        this.identity = identity;
        this.change = change;
        var schemas = new LogSchemas(log);
        inputs = AvroSerde.of(CellInputRecord.class, schemas);
        rows = AvroSerde.of(StateRow.class, schemas).withBytesMax(2 * AvroSerde.BYTES_MAX);
        recorded = new RecordedEvents(log, identity.index());
        chain = new LedgerChain(identity.index(), NOTHING);
        cell = emptyCell();
    }

    private Cell emptyCell() {
        return new Cell(new State(selectors, identity));
    }

    LogReplay.CellSummary run() {
        long from = start();
        recorded.skipTo(from);
        recorded.peek().ifPresent(each -> chain.resume(each.event().getPreviousHash()));
        long end = log.end(LogVerifier.INPUTS, identity.index());
        log.forEach(LogVerifier.INPUTS, identity.index(), from, end, record -> {
            if (recorded.peek().isPresent()) {
                step(record);
            }
            return divergence.isEmpty() && recorded.peek().isPresent();
        });
        if (divergence.isEmpty()) {
            recorded.peek()
                    .ifPresent(each -> divergeWithoutInput(
                            each,
                            "%s, partition %d, ends at offset %d, and the ledger has events of later inputs"
                                    .formatted(LogVerifier.INPUTS, identity.index(), end)));
        }
        return new LogReplay.CellSummary(
                identity.index(), from, count, events, otherBytes, snapshots, engines, hex(head), divergence);
    }

    /** The first input from which the state is known: the beginning of the topic, or the first rebuild. */
    private long start() {
        int partition = identity.index();
        long begin = log.begin(LogVerifier.INPUTS, partition);
        if (begin == 0) {
            return begin;
        }
        var rebuild = new ArrayList<Long>();
        log.forEach(LogVerifier.INPUTS, partition, begin, log.end(LogVerifier.INPUTS, partition), record -> {
            if (decode(record).getRebuild().isPresent()) {
                rebuild.add(record.offset());
            }
            return rebuild.isEmpty();
        });
        return rebuild.stream()
                .findFirst()
                .orElseThrow(() -> new AuditException(
                        "%s, partition %d, begins at offset %d and has no rebuild after it: replay needs the inputs from the beginning. Name an archive that has them with --archive."
                                .formatted(LogVerifier.INPUTS, partition, begin)));
    }

    private void step(LogRecord record) {
        CellInputRecord input = decode(record);
        Optional<RecordedEvent> next = recorded.peek();
        if (next.filter(each -> each.input() < record.offset()).isPresent()) {
            divergeWithoutInput(
                    next.get(),
                    "%s, partition %d, has no record at offset %d, or an event before this one names a later input"
                            .formatted(
                                    record.topic(),
                                    record.partition(),
                                    next.get().input()));
            return;
        }
        List<RecordedEvent> taken = recorded.take(record.offset());
        List<LedgerEvent> expected = taken.stream().map(RecordedEvent::event).toList();
        expected.forEach(event -> engines.add(event.getEngine()));
        String engine =
                expected.stream().findFirst().map(LedgerEvent::getEngine).orElse("");
        List<LedgerEvent> replayed = replay(record.offset(), input, engine);
        if (expected.stream().anyMatch(event -> event.getEvent().equals(SNAPSHOT))) {
            replayed.add(chain.snapshot(record.offset(), input.getAt(), stateHash(), engine));
            snapshots++;
        }
        count++;
        Optional<String> cause =
                taken.stream().flatMap(each -> each.chainProblem().stream()).findFirst();
        if (!isEqual(expected, replayed) || cause.isPresent()) {
            diverge(record, input, cause, expected, replayed);
        } else if (!expected.isEmpty()) {
            events += expected.size();
            head = expected.getLast().getHash();
            chain.resume(head);
        }
    }

    private List<LedgerEvent> replay(long offset, CellInputRecord record, String engine) {
        List<LedgerEvent> replayed = new ArrayList<>();
        Instant at = record.getAt();
        if (record.getRebuild().isPresent()) {
            cell = emptyCell();
            replayed.add(chain.rebuild(offset, at, engine));
            return replayed;
        }
        CellInputReader.from(offset, record).map(change).ifPresent(input -> {
            for (Output output : cell.step(input).outputs()) {
                switch (output) {
                    case Output.DecisionMade(var decision) ->
                        replayed.add(chain.decision(offset, at, decision, engine));
                    case Output.AlarmChanged alarm -> replayed.add(chain.alarm(offset, at, alarm, engine));
                    case Output.ClaimCompared _,
                            Output.ItemExplained _,
                            Output.ClaimDeleted _,
                            Output.WorkAlarmRaised _,
                            Output.RouterMessage _,
                            Output.ExplanationDeleted _,
                            Output.TextsRefreshed _,
                            Output.ProbeAnswered _ -> {} // not in the ledger
                }
            }
        });
        return replayed;
    }

    private ByteBuffer stateHash() {
        var hash = new RowsHash();
        cell.state().rows().forEach((key, row) -> hash.add(key, rows.write(ROWS, StateRowCodec.to(row))));
        return hash.value();
    }

    /** Whether the content of all events is equal. The chain of the recorded events is checked from their bytes, as a map has no order. */
    private boolean isEqual(List<LedgerEvent> expected, List<LedgerEvent> replayed) {
        boolean isEqual = expected.size() == replayed.size();
        for (int i = 0; isEqual && i < expected.size(); i++) {
            LedgerEvent event = expected.get(i);
            boolean hasSameHash = event.getHash().equals(replayed.get(i).getHash());
            isEqual = hasSameHash || content(event).equals(content(replayed.get(i)));
            otherBytes += hasSameHash || !isEqual ? 0 : 1;
        }
        return isEqual;
    }

    /** The event without what follows from its bytes. */
    private static LedgerEvent content(LedgerEvent event) {
        return new LedgerEvent(
                event.getCell(),
                event.getOffset(),
                event.getIndex(),
                event.getAt(),
                event.getEvent(),
                event.getDecision().orElse(null),
                event.getAlarm().orElse(null),
                event.getStateHash().orElse(null),
                "",
                NOTHING,
                NOTHING);
    }

    private void diverge(
            LogRecord record,
            CellInputRecord input,
            Optional<String> cause,
            List<LedgerEvent> expected,
            List<LedgerEvent> replayed) {
        divergence = Optional.of(new Divergence(
                identity.index(),
                record.offset(),
                input.getAt(),
                InputText.of(input),
                Optional.of(input.toString()),
                cause,
                expected.stream().map(Divergence::text).toList(),
                replayed.stream().map(Divergence::text).toList()));
    }

    private void divergeWithoutInput(RecordedEvent next, String cause) {
        divergence = Optional.of(new Divergence(
                identity.index(),
                next.input(),
                next.event().getAt(),
                "missing input",
                Optional.empty(),
                next.chainProblem().or(() -> Optional.of(cause)),
                recorded.take(next.input()).stream()
                        .map(each -> Divergence.text(each.event()))
                        .toList(),
                List.of()));
    }

    private CellInputRecord decode(LogRecord record) {
        return switch (inputs.read(record.topic(), record.value().orElse(null))) {
            case DecodeResult.Value<CellInputRecord>(CellInputRecord input) -> input;
            case DecodeResult.Tombstone<CellInputRecord> _ ->
                throw RecordedEvents.unreadable(record, "it has no value");
            case DecodeResult.Failure<CellInputRecord> bad -> throw RecordedEvents.unreadable(record, bad.message());
        };
    }

    private static String hex(ByteBuffer bytes) {
        byte[] copy = new byte[bytes.remaining()];
        bytes.duplicate().get(copy);
        return HexFormat.of().formatHex(copy);
    }
}
