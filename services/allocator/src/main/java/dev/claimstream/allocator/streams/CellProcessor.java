package dev.claimstream.allocator.streams;

import dev.claimstream.allocation.cell.Cell;
import dev.claimstream.allocation.cell.CellIdentity;
import dev.claimstream.allocation.cell.CellReport;
import dev.claimstream.allocation.cell.Fact;
import dev.claimstream.allocation.cell.Input;
import dev.claimstream.allocation.cell.Output;
import dev.claimstream.allocation.cell.State;
import dev.claimstream.allocation.cell.Step;
import dev.claimstream.audit.streams.InputText;
import dev.claimstream.audit.streams.LedgerChain;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.kafka.RecordSerde;
import dev.claimstream.schemas.CellInputRecord;
import dev.claimstream.schemas.DecisionRecord;
import dev.claimstream.schemas.Rebuild;
import dev.claimstream.schemas.StateRow;
import dev.claimstream.schemas.TickRecord;
import dev.claimstream.schemas.WorkSlice;
import dev.claimstream.wire.CellInputReader;
import dev.claimstream.wire.RouterInputCodec;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.apache.avro.specific.SpecificRecord;
import org.apache.kafka.streams.processor.Cancellable;
import org.apache.kafka.streams.processor.PunctuationType;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs one cell as a Kafka Streams task: stores its rows, feeds it inputs, and forwards its outputs.
 *
 * <p>Only the stream thread of the task uses it. Rows, outputs and the input offset commit in one transaction.
 */
final class CellProcessor implements Processor<String, CellInputRecord, String, SpecificRecord> {
    private static final Logger LOG = LoggerFactory.getLogger(CellProcessor.class);
    private static final Duration TIMER_INTERVAL = Duration.ofSeconds(1);

    /** Counting the state of a cell uses at most one part in this number of its time. */
    private static final int COUNT_SHARE = 200;

    /** Interval of hashing a batch of rows after a start. A batch is small: it delays a decision no more than another decision does. */
    private static final Duration HASH_EVERY = Duration.ofMillis(250);

    private static final int HASH_BATCH_ROWS = 1000;

    private final TaskEnvironment environment;
    private final CommitScheduler commitScheduler;
    private final RecordSerde<StateRow> serde;
    private ProcessorContext<String, SpecificRecord> context;
    private int number;
    private CommitScheduler.TaskCommits commits;
    private TaskTimer countTimer;
    private TaskTimer wakeTimer;
    private CellRows rows;
    private Cell cell;
    private LedgerChain ledger;
    private OutputPublisher publisher;
    private InputTracker tracker;
    private StateHeader header;
    private String log = "";
    private final ClassLabels labels = new ClassLabels();
    private Optional<Instant> tickedDeadline = Optional.empty();
    private long wokeAt;
    private long requestedSlice = -1;
    private long lastOffset;
    private long countedOffset = Long.MIN_VALUE;
    private Instant nextCount = Instant.EPOCH;

    @SuppressWarnings("NullAway.Init") // Kafka Streams calls init first
    CellProcessor(TaskEnvironment environment, CommitScheduler commitScheduler, RecordSerde<StateRow> serde) {
        this.environment = environment;
        this.commitScheduler = commitScheduler;
        this.serde = serde;
    }

    @Override
    public void init(ProcessorContext<String, SpecificRecord> context) {
        this.context = context;
        commits = commitScheduler.register(context);
        countTimer = new TaskTimer(context, environment.clock(), _ -> updateFigures());
        wakeTimer = new TaskTimer(context, environment.clock(), this::wake);
        number = context.taskId().partition();
        rows = new CellRows(context.getStateStore(AllocatorTopology.ROWS), serde, environment.snapshotEvery() > 0);
        restore();
        tracker = environment.watchdog().trackCell(number, lastOffset, () -> cell.evaluating());
        scheduleHashing();
        updateFigures();
        setTimers();
    }

    /** Sets the timers for what is due. An idle cell has no timer: a timer would cause a commit. */
    private void setTimers() {
        if (lastOffset != countedOffset && !countTimer.isSet()) {
            countTimer.setTo(
                    Math.max(environment.clock().millis() + TIMER_INTERVAL.toMillis(), nextCount.toEpochMilli()));
        }
        if (isSliceDue()) {
            wakeTimer.setTo(environment.clock().millis());
        }
        // at most one tick per second: it handles all deadlines that have passed
        cell.state()
                .deadline()
                .filter(due -> !Optional.of(due).equals(tickedDeadline))
                .ifPresent(
                        due -> wakeTimer.setTo(Math.max(due.toEpochMilli() + 1, wokeAt + TIMER_INTERVAL.toMillis())));
    }

    private void wake(long now) {
        wokeAt = now;
        tick(Instant.ofEpochMilli(now));
        requestSlice(now);
        setTimers();
    }

    private void scheduleHashing() {
        var schedule = new AtomicReference<Optional<Cancellable>>(Optional.empty());
        schedule.set(Optional.of(context.schedule(HASH_EVERY, PunctuationType.WALL_CLOCK_TIME, _ -> {
            if (rows.advanceHash(HASH_BATCH_ROWS)) {
                schedule.getPlain().ifPresent(Cancellable::cancel);
            }
        })));
    }

    /** Restores the cell from its rows, or fails if rows, log and offsets do not match. */
    private void restore() {
        CellLog.LogPosition position = environment.log().position(KafkaAdmin.log(number));
        log = position.id();
        Optional<StateHeader> storedHeader = rows.header();
        boolean isRebuild = position.committed().isPresent()
                && environment
                        .log()
                        .isRebuild(KafkaAdmin.log(number), position.committed().getAsLong());
        if (isRebuild) {
            initialize(emptyState(), StateHeader.initial(environment.format(), environment.engine(), log));
            return;
        }
        var continuity = LogContinuityCheck.ofCell(number, environment.log());
        storedHeader.ifPresent(stored -> continuity.checkFormat(stored, environment.format()));
        var state = emptyState();
        rows.applyTo(state);
        state.restoreIndexes();
        initialize(
                state,
                storedHeader.orElseGet(() -> StateHeader.initial(environment.format(), environment.engine(), log)));
        continuity.check(position, storedHeader, lastOffset);
        storedHeader.ifPresent(before -> continuity.checkPublished(before, decision -> isRelevant(state, decision)));
        if (!header.engine().equals(environment.engine())) {
            LOG.atInfo()
                    .addKeyValue("cell", number)
                    .addKeyValue("before", header.engine())
                    .addKeyValue("now", environment.engine())
                    .log(
                            "another engine version continues the cell: existing decisions stay, new decisions are made by this version");
        }
        header = header.withEngine(environment.engine(), environment.format());
    }

    private static boolean isRelevant(State state, DecisionRecord decision) {
        String uid = decision.getClaimUid();
        return state.decidedAllocation(uid).isPresent()
                || state.claim(new ObjectKey(decision.getNamespace(), decision.getName()))
                        .filter(claim -> claim.meta().uid().equals(uid))
                        .isPresent();
    }

    private State emptyState() {
        return new State(environment.selectors(), new CellIdentity(number, environment.cells()));
    }

    private void initialize(State state, StateHeader newHeader) {
        cell = new Cell(state);
        header = newHeader;
        ledger = new LedgerChain(number, newHeader.ledgerHash());
        publisher = new OutputPublisher(
                context, AllocatorTopology.CELL_SINKS, number, ledger, environment.meters(), environment.clock());
        lastOffset = Math.max(newHeader.lastIgnoredOffset(), state.count().offset());
    }

    @Override
    public void process(Record<String, CellInputRecord> record) {
        long offset = context.recordMetadata()
                .orElseThrow(() -> new IllegalStateException("an input without an offset"))
                .offset();
        if (offset <= lastOffset) {
            return;
        }
        tracker.begin(offset, () -> InputText.of(record.value()));
        try {
            process(offset, record);
        } catch (Throwable e) { // an Error ends the process too, and the next process needs the attempt
            tracker.failed(e);
            throw e;
        }
        lastOffset = offset;
        tracker.end(offset);
        setTimers();
    }

    private void process(long offset, Record<String, CellInputRecord> record) {
        record.value()
                .getRebuild()
                .ifPresentOrElse(rebuild -> reset(rebuild, offset, record), () -> apply(offset, record));
        if (isSnapshotDue(offset)) {
            snapshot(offset, record);
        }
    }

    private void apply(long offset, Record<String, CellInputRecord> record) {
        CellInputReader.from(offset, record.value())
                .ifPresentOrElse(input -> step(input, record), () -> store(header.withIgnored(offset)));
    }

    /** Resets the cell at a rebuild input; a replay can start at any rebuild input. */
    private void reset(Rebuild rebuild, long offset, Record<String, CellInputRecord> record) {
        rows.clear();
        initialize(
                emptyState(),
                StateHeader.initial(environment.format(), environment.engine(), log)
                        .withLedger(rebuild.getLedgerHash())
                        .withIgnored(offset));
        LOG.atInfo()
                .addKeyValue("cell", number)
                .addKeyValue("offset", offset)
                .log("the cell starts from an empty state");
        publisher.event(
                cause(offset, record), ledger.rebuild(offset, record.value().getAt(), environment.engine()));
        store(header.withLedger(ledger.last()));
    }

    private void step(Input input, Record<String, CellInputRecord> record) {
        Step step = cell.step(input);
        step.ignored().forEach(environment.meters()::countIgnored);
        lastPerRow(step.facts(), Fact::key).forEach(this::store);
        var cause = cause(input.offset(), record);
        step.outputs().forEach(output -> send(output, cause));
        if (step.outputs().stream().anyMatch(CellProcessor::isUrgent)
                || cell.state().hasBacklog()) {
            commits.addOutput(record.timestamp());
        }
        requestSlice(record.timestamp());
        if (lastOffset < 0 || !ledger.last().equals(header.ledgerHash())) {
            store(header.withLedger(ledger.last()));
        }
    }

    /** Whether another component waits for an output. Explanations are for people and have time until the next commit. */
    private static boolean isUrgent(Output output) {
        return switch (output) {
            case Output.ItemExplained _,
                    Output.ClaimCompared _,
                    Output.ExplanationDeleted _,
                    Output.TextsRefreshed _,
                    Output.WorkAlarmRaised _ -> false;
            case Output.DecisionMade _,
                    Output.ClaimDeleted _,
                    Output.AlarmChanged _,
                    Output.RouterMessage _,
                    Output.ProbeAnswered _ -> true;
        };
    }

    private boolean isSnapshotDue(long offset) {
        long every = environment.snapshotEvery();
        return every > 0 && lastOffset >= 0 && offset / every != lastOffset / every;
    }

    private void snapshot(long offset, Record<String, CellInputRecord> record) {
        Instant begin = environment.clock().instant();
        ByteBuffer hash = rows.hash();
        Duration hashing = Duration.between(begin, environment.clock().instant());
        publisher.event(
                cause(offset, record), ledger.snapshot(offset, record.value().getAt(), hash, environment.engine()));
        store(header.withLedger(ledger.last()));
        environment.meters().recordSnapshot(number, hashing);
    }

    private OutputPublisher.SourceInput cause(long offset, Record<String, CellInputRecord> record) {
        return new OutputPublisher.SourceInput(
                offset, record.value().getAt(), record.timestamp(), environment.engine());
    }

    private void store(StateHeader next) {
        header = next;
        rows.put(next);
    }

    /** Returns the last fact per row. One input can change a row several times; only the last value is stored. */
    static <F> Collection<F> lastPerRow(List<F> facts, Function<F, String> key) {
        var last = new LinkedHashMap<String, F>();
        facts.forEach(fact -> last.put(key.apply(fact), fact));
        return last.values();
    }

    private void store(Fact fact) {
        switch (fact) {
            case Fact.Put put -> rows.put(put.row());
            case Fact.Drop drop -> rows.delete(drop.key());
        }
    }

    private void send(Output output, OutputPublisher.SourceInput cause) {
        if (output instanceof Output.RouterMessage(CellReport report)) {
            publisher.forwardNow(
                    "",
                    RouterInputCodec.to(number, report, cell.state().freeDevices(), cause.at()),
                    AllocatorTopology.ROUTER);
        } else {
            publisher.publish(output, cause);
        }
    }

    /**
     * Writes a tick to the cell's input when a deadline has passed. The cell learns the time only from its input, so that replay is
     * deterministic.
     */
    private void tick(Instant now) {
        Optional<Instant> due = cell.state().deadline().filter(deadline -> !deadline.isAfter(now));
        if (due.isPresent() && !due.equals(tickedDeadline)) {
            tickedDeadline = due;
            var input = CellInputRecord.newBuilder()
                    .setAt(now)
                    .setTick(new TickRecord())
                    .build();
            context.forward(new Record<>(Integer.toString(number), input, now.toEpochMilli()), AllocatorTopology.TICKS);
        }
    }

    /**
     * Writes the next slice of unfinished work to the end of the cell's input. The commit interval limits the rate, so that most of the
     * time remains for other inputs.
     */
    private void requestSlice(long now) {
        if (isSliceDue()) {
            long next = cell.state().nextSlice();
            requestedSlice = next;
            var input = CellInputRecord.newBuilder()
                    .setAt(Instant.ofEpochMilli(now))
                    .setWorkSlice(new WorkSlice(next))
                    .build();
            context.forward(new Record<>(Integer.toString(number), input, now), AllocatorTopology.TICKS);
        }
    }

    private boolean isSliceDue() {
        return cell.state().hasUnfinishedWork() && cell.state().nextSlice() != requestedSlice;
    }

    /** Updates the numbers of the cell's meters if an input was processed since the last count. */
    private void updateFigures() {
        if (lastOffset == countedOffset) {
            return;
        }
        Instant now = environment.clock().instant();
        tracker.beginMaintenance("counts claims and devices");
        environment.meters().update(number, CellFigures.of(cell.state(), labels), now);
        tracker.endMaintenance();
        countedOffset = lastOffset;
        Duration spent = Duration.between(now, environment.clock().instant());
        nextCount = now.plus(spent.multipliedBy(COUNT_SHARE));
    }

    @Override
    public void close() {
        commits.close();
        countTimer.cancel();
        wakeTimer.cancel();
        environment.watchdog().untrack(tracker);
        environment.meters().remove(number);
    }
}
