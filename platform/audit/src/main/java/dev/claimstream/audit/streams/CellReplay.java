package dev.claimstream.audit.streams;

import dev.claimstream.allocation.cell.Cell;
import dev.claimstream.allocation.cell.CellIdentity;
import dev.claimstream.allocation.cell.Output;
import dev.claimstream.allocation.cell.State;
import dev.claimstream.allocation.cell.Trial;
import dev.claimstream.audit.AuditException;
import dev.claimstream.audit.AuditLog;
import dev.claimstream.audit.CellSnapshot;
import dev.claimstream.audit.LogRecord;
import dev.claimstream.audit.LogVerifier;
import dev.claimstream.audit.LogVerifier.TimeRange;
import dev.claimstream.audit.streams.RecordedEvents.RecordedEvent;
import dev.claimstream.dra.Selectors;
import dev.claimstream.kafka.AvroSerde;
import dev.claimstream.kafka.RecordSerde;
import dev.claimstream.schemas.CellInputRecord;
import dev.claimstream.schemas.LedgerEvent;
import dev.claimstream.schemas.StateRow;
import dev.claimstream.wire.StateRowCodec;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;

/** Replays one cell. It is used once. */
final class CellReplay {
    private static final String ROWS = "cell-rows";
    private static final String SNAPSHOT = "snapshot";
    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    private final AuditLog log;
    private final Selectors selectors;
    private final CellIdentity identity;
    private final TimeRange range;
    private final InputDecoder inputs;
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
    private boolean isOver;
    private long from;
    private long nextInput;

    /** Hash before the first event, if the ledger had no event after the first state yet. */
    private Optional<Optional<String>> unlinked = Optional.empty();

    CellReplay(AuditLog log, Selectors selectors, CellIdentity identity, TimeRange range) {
        this.log = log;
        this.selectors = selectors;
        this.identity = identity;
        this.range = range;
        inputs = new InputDecoder(log);
        rows = AvroSerde.of(StateRow.class, new LogSchemas(log)).withBytesMax(2 * AvroSerde.BYTES_MAX);
        recorded = new RecordedEvents(log, identity.index());
        chain = new LedgerChain(identity.index(), NOTHING);
        cell = emptyCell();
    }

    private Cell emptyCell() {
        return new Cell(new State(selectors, identity));
    }

    /** Replays up to the present end of the ledger. */
    LogReplay.CellSummary run() {
        begin();
        advance();
        return finish();
    }

    /** Prepares the state before the first input. It is called once. */
    void begin() {
        ReplayStart start = ReplayStart.of(log, inputs, selectors, identity, range.from());
        from = start.offset();
        nextInput = from;
        cell = new Cell(start.state());
        start.snapshot().ifPresent(recorded::beginAt);
        recorded.skipTo(from);
        Optional<String> ledgerHash = start.snapshot().map(CellSnapshot::ledgerHash);
        recorded.peek().ifPresent(each -> link(ledgerHash, each));
        unlinked = recorded.peek().isEmpty() ? Optional.of(ledgerHash) : Optional.empty();
    }

    /** Continues up to the present end of the ledger. Inputs after the last event wait for the next one. */
    void advance() {
        recorded.refresh();
        unlinked.filter(_ -> recorded.peek().isPresent()).ifPresent(hash -> {
            recorded.peek().ifPresent(each -> link(hash, each));
            unlinked = Optional.empty();
        });
        if (divergence.isPresent() || isOver || recorded.peek().isEmpty()) {
            return;
        }
        long end = log.end(LogVerifier.INPUTS, identity.index());
        new InputReadAhead(log, inputs, identity.index()).forEach(nextInput, end, read -> {
            if (recorded.peek().isEmpty()) {
                return false;
            }
            step(read);
            nextInput = read.record().offset() + 1;
            return divergence.isEmpty() && !isOver && recorded.peek().isPresent();
        });
    }

    /** Ends the replay: an event after the last input is a divergence. */
    LogReplay.CellSummary finish() {
        if (divergence.isEmpty() && !isOver) {
            long end = log.end(LogVerifier.INPUTS, identity.index());
            recorded.peek()
                    .ifPresent(each -> divergeWithoutInput(
                            each,
                            "%s, partition %d, ends at offset %d, and the ledger has events of later inputs"
                                    .formatted(LogVerifier.INPUTS, identity.index(), end)));
        }
        return summary();
    }

    LogReplay.CellSummary summary() {
        return new LogReplay.CellSummary(
                identity.index(), from, count, events, otherBytes, snapshots, engines, hex(head), divergence);
    }

    /** The events of an archived state and of the ledger must be of one chain. */
    private void link(Optional<String> ledgerHash, RecordedEvent first) {
        ledgerHash
                .filter(hash -> !hash.equals(hex(first.event().getPreviousHash())))
                .ifPresent(hash -> {
                    throw new AuditException(
                            "cell %d: the archived state before input %d follows event %s, and the ledger has another event there. Verify the ledger; use the archive of this log."
                                    .formatted(identity.index(), from, hash));
                });
        chain.resume(first.event().getPreviousHash());
    }

    private void step(InputReadAhead.ReadInput read) {
        LogRecord record = read.record();
        CellInputRecord input = read.value();
        if (range.to().filter(input.getAt()::isAfter).isPresent()) {
            isOver = true;
            return;
        }
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
        State state = cell.state();
        Trial trial = Trial.begin(cell, input.getAt());
        List<LedgerEvent> replayed = replay(read, engine);
        if (expected.stream().anyMatch(event -> event.getEvent().equals(SNAPSHOT))) {
            replayed.add(chain.snapshot(record.offset(), input.getAt(), stateHash(), engine));
            snapshots++;
        }
        count++;
        Optional<String> cause =
                taken.stream().flatMap(each -> each.chainProblem().stream()).findFirst();
        if (!isEqual(expected, replayed) || cause.isPresent()) {
            trial.close();
            diverge(read, cause, expected, replayed, state);
            return;
        }
        trial.keep();
        if (!expected.isEmpty()) {
            events += expected.size();
            head = expected.getLast().getHash();
            chain.resume(head);
        }
    }

    private List<LedgerEvent> replay(InputReadAhead.ReadInput read, String engine) {
        List<LedgerEvent> replayed = new ArrayList<>();
        long offset = read.record().offset();
        Instant at = read.value().getAt();
        if (read.value().getRebuild().isPresent()) {
            cell = emptyCell();
            replayed.add(chain.rebuild(offset, at, engine));
            return replayed;
        }
        read.input().ifPresent(input -> {
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

    /** @param state before the input */
    private void diverge(
            InputReadAhead.ReadInput read,
            Optional<String> cause,
            List<LedgerEvent> expected,
            List<LedgerEvent> replayed,
            State state) {
        CellInputRecord input = read.value();
        divergence = Optional.of(new Divergence(
                identity.index(),
                read.record().offset(),
                input.getAt(),
                InputText.of(input),
                Optional.of(input.toString()),
                cause,
                expected.stream().map(Divergence::text).toList(),
                replayed.stream().map(Divergence::text).toList(),
                SurroundingState.lines(state, expected, replayed)));
    }

    private void divergeWithoutInput(RecordedEvent next, String cause) {
        List<LedgerEvent> events =
                recorded.take(next.input()).stream().map(RecordedEvent::event).toList();
        divergence = Optional.of(new Divergence(
                identity.index(),
                next.input(),
                next.event().getAt(),
                "missing input",
                Optional.empty(),
                next.chainProblem().or(() -> Optional.of(cause)),
                events.stream().map(Divergence::text).toList(),
                List.of(),
                SurroundingState.lines(cell.state(), events, List.of())));
    }

    private static String hex(ByteBuffer bytes) {
        byte[] copy = new byte[bytes.remaining()];
        bytes.duplicate().get(copy);
        return HexFormat.of().formatHex(copy);
    }
}
