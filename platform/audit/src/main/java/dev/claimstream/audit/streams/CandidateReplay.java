package dev.claimstream.audit.streams;

import dev.claimstream.allocation.cell.Cell;
import dev.claimstream.allocation.cell.CellIdentity;
import dev.claimstream.allocation.cell.CellSettings;
import dev.claimstream.allocation.cell.Decision;
import dev.claimstream.allocation.cell.Input;
import dev.claimstream.allocation.cell.Observation;
import dev.claimstream.allocation.cell.Output;
import dev.claimstream.audit.AuditException;
import dev.claimstream.audit.AuditLog;
import dev.claimstream.audit.LogRecord;
import dev.claimstream.audit.LogVerifier;
import dev.claimstream.dra.Selectors;
import dev.claimstream.schemas.CellInputRecord;
import dev.claimstream.wire.CellInputReader;
import dev.claimstream.wire.DecisionCodec;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.SortedSet;
import java.util.function.UnaryOperator;

/**
 * Decides the recorded inputs under other settings or by another engine, and compares the result with the record.
 *
 * <p>{@link CandidateInputs} says which inputs the candidate sees. A replay is run once, or follows a log that grows. Not safe for
 * several threads.
 */
public final class CandidateReplay {
    /** Number of observations that may follow from one recorded input. */
    private static final int FOLLOWING_MAX = 100_000;

    private final AuditLog log;
    private final LogVerifier.TimeRange range;
    private final UnaryOperator<CellSettings> change;
    private final Cell cell;
    private final InputDecoder decoder;
    private final ReplayStart start;
    private final RecordedEvents recorded;
    private final CandidateInputs inputs;
    private final PlacementComparison comparison;
    private final Deque<Observation> following = new ArrayDeque<>();
    private Optional<CellSettings> settings = Optional.empty();
    private Optional<Instant> first = Optional.empty();
    private Instant now = Instant.EPOCH;
    private boolean isChanged;
    private boolean isOver;
    private long next;
    private long offset;
    private long count;

    /**
     * Prepares the comparison of a log with one cell.
     *
     * @param range the candidate decides from its beginning; before that, the recorded settings apply. Inputs after its end are left out
     * @param change makes the candidate's settings from the recorded ones
     * @throws AuditException if the log has several cells or no inputs
     */
    public CandidateReplay(
            AuditLog log, Selectors selectors, LogVerifier.TimeRange range, UnaryOperator<CellSettings> change) {
        this(log, selectors, range, change, PlacementComparison.ComparisonSpan.WHOLE);
    }

    private CandidateReplay(
            AuditLog log,
            Selectors selectors,
            LogVerifier.TimeRange range,
            UnaryOperator<CellSettings> change,
            PlacementComparison.ComparisonSpan span) {
        this.log = log;
        this.range = range;
        this.change = change;
        SortedSet<Integer> cells = log.partitions(LogVerifier.INPUTS);
        if (cells.size() != 1) {
            throw new AuditException(
                    "%s has inputs of %d cells: a comparison needs the log of one cell. Without --policy, --features, --settings and --compare, replay compares each cell with its ledger."
                            .formatted(log.location(), cells.size()));
        }
        decoder = new InputDecoder(log);
        // from the earliest state: the fold of claims, pods and devices needs all inputs
        start = ReplayStart.of(log, decoder, selectors, CellIdentity.SINGLE, Optional.empty());
        cell = new Cell(start.state());
        recorded = new RecordedEvents(log, 0);
        inputs = new CandidateInputs(cell::state, this::changed);
        comparison = new PlacementComparison(span);
        next = start.offset();
        recorded.skipTo(next);
    }

    /**
     * Prepares the comparison of a log that grows, without an end. {@link #advance} continues it. Figures and listed claims are
     * those of the newest claims.
     *
     * @param since the candidate decides from this time
     * @throws AuditException if the log has several cells or no inputs
     */
    public static CandidateReplay live(
            AuditLog log, Selectors selectors, Instant since, UnaryOperator<CellSettings> change) {
        return new CandidateReplay(
                log,
                selectors,
                new LogVerifier.TimeRange(Optional.of(since), Optional.empty()),
                change,
                PlacementComparison.ComparisonSpan.LIVE);
    }

    private CellSettings changed(CellSettings before) {
        settings = Optional.of(before);
        return isChanged ? change.apply(before) : before;
    }

    /**
     * Runs the comparison.
     *
     * @throws AuditException if a record cannot be read, or the inputs from the beginning or from a rebuild are not available
     */
    public CandidateReport run() {
        replay(false);
        return report();
    }

    /**
     * Replays what the log has got since the last call. Inputs wait until the ledger has an event of them or of a later input.
     *
     * @throws AuditException if a record cannot be read
     */
    public void advance() {
        recorded.refresh();
        replay(true);
    }

    /** The comparison up to the last replayed input. Claims that still exist count as they are. */
    public CandidateReport report() {
        return comparison.report(first.orElse(now), now, count);
    }

    /** Time of the last replayed input; empty before the first one. */
    public Optional<Instant> at() {
        return Optional.of(now).filter(Instant.EPOCH::isBefore);
    }

    private void replay(boolean waitsForLedger) {
        long end = log.end(LogVerifier.INPUTS, 0);
        if (isOver || next >= end) {
            return;
        }
        log.forEach(LogVerifier.INPUTS, 0, next, end, record -> {
            if (waitsForLedger && recorded.peek().isEmpty()) {
                return false;
            }
            CellInputRecord input = decoder.decode(record);
            isOver = range.to().filter(input.getAt()::isAfter).isPresent();
            if (!isOver) {
                step(record, input);
                next = record.offset() + 1;
            }
            return !isOver;
        });
    }

    private void step(LogRecord record, CellInputRecord input) {
        boolean isCompared = range.from().filter(input.getAt()::isBefore).isEmpty();
        advanceTo(input.getAt());
        if (isCompared && !isChanged) {
            isChanged = true;
            first = Optional.of(now);
            comparison.begin(now);
            settings.ifPresent(each -> following.add(new Observation.SettingsChanged(change.apply(each))));
            drain();
        }
        Optional<Input> read = CellInputReader.from(record.offset(), input);
        read.ifPresent(each -> comparison.observe(each.observation(), now));
        read.ifPresent(each -> following.addAll(inputs.of(each.observation())));
        drain();
        recorded.take(record.offset())
                .forEach(event ->
                        event.event().getDecision().map(DecisionCodec::from).ifPresent(this::addRecorded));
        count += isCompared ? 1 : 0;
    }

    private void addRecorded(Decision decision) {
        if (decision.result() instanceof Decision.DecisionResult.Allocated) {
            inputs.recordAllocation(decision.claimUid());
        }
        comparison.recorded(decision, now);
    }

    /** Moves the time to that of the next input, with a tick for every deadline before it. */
    private void advanceTo(Instant time) {
        Optional<Instant> before = Optional.empty();
        Optional<Instant> due = cell.state().deadline();
        while (due.filter(each -> each.isBefore(time)).isPresent() && !due.equals(before)) {
            before = due;
            now = due.get().isAfter(now) ? due.get() : now;
            following.add(new Observation.Tick());
            drain();
            due = cell.state().deadline();
        }
        now = time.isAfter(now) ? time : now;
        comparison.sampleAt(now);
    }

    private void drain() {
        for (int i = 0; i < FOLLOWING_MAX; i++) {
            Optional<Observation> next = Optional.ofNullable(following.poll())
                    .or(() -> cell.state().hasUnfinishedWork()
                            ? Optional.of(
                                    new Observation.WorkSliceDue(cell.state().nextSlice()))
                            : Optional.empty());
            if (next.isEmpty()) {
                return;
            }
            cell.step(new Input(offset++, now, next.get())).outputs().forEach(this::follow);
        }
        following.clear();
    }

    private void follow(Output output) {
        if (output instanceof Output.DecisionMade(Decision decision)) {
            comparison.candidate(decision, now);
            following.addAll(inputs.consequences(decision));
        } else if (output instanceof Output.ClaimDeleted(String uid)) {
            comparison.candidateReleased(uid);
        }
    }
}
