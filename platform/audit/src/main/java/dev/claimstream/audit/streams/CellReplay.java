package dev.claimstream.audit.streams;

import dev.claimstream.allocation.cell.Cell;
import dev.claimstream.allocation.cell.CellIdentity;
import dev.claimstream.allocation.cell.Output;
import dev.claimstream.allocation.cell.State;
import dev.claimstream.allocation.cell.Trial;
import dev.claimstream.audit.AuditException;
import dev.claimstream.audit.AuditLog;
import dev.claimstream.audit.CellSnapshot;
import dev.claimstream.audit.LogVerifier;
import dev.claimstream.audit.LogVerifier.TimeRange;
import dev.claimstream.audit.streams.LedgerComparison.ExpectedEvents;
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
import java.util.List;
import java.util.Optional;

/** Replays one cell. */
final class CellReplay implements LedgerReplay {
    private static final String ROWS = "cell-rows";
    private static final String SNAPSHOT = "snapshot";

    private final AuditLog log;
    private final Selectors selectors;
    private final CellIdentity identity;
    private final TimeRange range;
    private final InputDecoder inputs;
    private final RecordSerde<StateRow> rows;
    private final LedgerComparison ledger;
    private final RecordedEvents recorded;
    private Cell cell;
    private long snapshots;
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
        ledger = new LedgerComparison(log, LogVerifier.INPUTS, identity.index(), identity.index());
        recorded = ledger.recorded();
        cell = emptyCell();
    }

    private Cell emptyCell() {
        return new Cell(new State(selectors, identity));
    }

    @Override
    public void begin() {
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

    @Override
    public void advance() {
        recorded.refresh();
        unlinked.filter(_ -> recorded.peek().isPresent()).ifPresent(hash -> {
            recorded.peek().ifPresent(each -> link(hash, each));
            unlinked = Optional.empty();
        });
        if (ledger.divergence().isPresent() || isOver || recorded.peek().isEmpty()) {
            return;
        }
        long end = log.end(LogVerifier.INPUTS, identity.index());
        new InputReadAhead(log, inputs, identity.index()).forEach(nextInput, end, read -> {
            if (recorded.peek().isEmpty()) {
                return false;
            }
            step(read);
            nextInput = read.record().offset() + 1;
            return ledger.divergence().isEmpty() && !isOver && recorded.peek().isPresent();
        });
    }

    @Override
    public LogReplay.CellSummary finish() {
        if (!isOver) {
            ledger.finish(this::surrounding);
        }
        return summary();
    }

    @Override
    public LogReplay.CellSummary summary() {
        return ledger.summary(from, snapshots);
    }

    private List<String> surrounding(List<LedgerEvent> events) {
        return SurroundingState.lines(cell.state(), events, List.of());
    }

    /** The events of an archived state and of the ledger must be of one chain. */
    private void link(Optional<String> ledgerHash, RecordedEvent first) {
        ledgerHash
                .filter(hash -> !hash.equals(LedgerComparison.hex(first.event().getPreviousHash())))
                .ifPresent(hash -> {
                    throw new AuditException(
                            "cell %d: the archived state before input %d follows event %s, and the ledger has another event there. Verify the ledger; use the archive of this log."
                                    .formatted(identity.index(), from, hash));
                });
        ledger.chain().resume(first.event().getPreviousHash());
    }

    private void step(InputReadAhead.ReadInput read) {
        long offset = read.record().offset();
        CellInputRecord input = read.value();
        if (range.to().filter(input.getAt()::isAfter).isPresent()) {
            isOver = true;
            return;
        }
        ledger.take(offset, this::surrounding).ifPresent(expected -> step(read, expected));
    }

    private void step(InputReadAhead.ReadInput read, ExpectedEvents expected) {
        long offset = read.record().offset();
        CellInputRecord input = read.value();
        State state = cell.state();
        Trial trial = Trial.begin(cell, input.getAt());
        List<LedgerEvent> replayed = replay(read, expected.engine());
        if (expected.events().stream().anyMatch(event -> event.getEvent().equals(SNAPSHOT))) {
            replayed.add(ledger.chain().snapshot(offset, input.getAt(), stateHash(), expected.engine()));
            snapshots++;
        }
        if (ledger.compare(expected, replayed)) {
            trial.keep();
            return;
        }
        trial.close();
        ledger.diverge(
                offset,
                input.getAt(),
                InputText.of(input),
                input.toString(),
                expected,
                replayed,
                SurroundingState.lines(state, expected.events(), replayed));
    }

    private List<LedgerEvent> replay(InputReadAhead.ReadInput read, String engine) {
        List<LedgerEvent> replayed = new ArrayList<>();
        long offset = read.record().offset();
        Instant at = read.value().getAt();
        LedgerChain chain = ledger.chain();
        if (read.value().getRebuild().isPresent()) {
            cell = emptyCell();
            replayed.add(chain.rebuild(offset, at, engine));
            return replayed;
        }
        read.input()
                .ifPresent(input -> cell.step(input)
                        .outputs()
                        .forEach(output ->
                                event(chain, offset, at, output, engine).ifPresent(replayed::add)));
        return replayed;
    }

    /** The event of an output; empty for an output that is not in the ledger. */
    static Optional<LedgerEvent> event(LedgerChain chain, long offset, Instant at, Output output, String engine) {
        return switch (output) {
            case Output.DecisionMade(var decision) -> Optional.of(chain.decision(offset, at, decision, engine));
            case Output.AlarmChanged alarm -> Optional.of(chain.alarm(offset, at, alarm, engine));
            case Output.ClaimCompared _,
                    Output.ItemExplained _,
                    Output.ClaimDeleted _,
                    Output.WorkAlarmRaised _,
                    Output.RouterMessage _,
                    Output.ExplanationDeleted _,
                    Output.TextsRefreshed _,
                    Output.ProbeAnswered _ -> Optional.empty();
        };
    }

    private ByteBuffer stateHash() {
        var hash = new RowsHash();
        cell.state().rows().forEach((key, row) -> hash.add(key, rows.write(ROWS, StateRowCodec.to(row))));
        return hash.value();
    }
}
