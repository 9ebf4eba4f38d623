package dev.claimstream.allocator.streams;

import dev.claimstream.allocation.cell.Cell;
import dev.claimstream.allocation.cell.Fact;
import dev.claimstream.allocation.cell.Input;
import dev.claimstream.allocation.cell.Output;
import dev.claimstream.allocation.cell.Place;
import dev.claimstream.allocation.cell.Row;
import dev.claimstream.allocation.cell.State;
import dev.claimstream.allocation.cell.Step;
import dev.claimstream.allocation.cell.Verdict;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.kafka.RecordSerde;
import dev.claimstream.schemas.CellInput;
import dev.claimstream.schemas.DecisionRecord;
import dev.claimstream.schemas.Rebuild;
import dev.claimstream.schemas.StateRow;
import dev.claimstream.schemas.Tick;
import dev.claimstream.schemas.WorkSlice;
import dev.claimstream.wire.Inputs;
import dev.claimstream.wire.RouterWire;
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
final class CellProcessor implements Processor<String, CellInput, String, SpecificRecord> {
    private static final Logger LOG = LoggerFactory.getLogger(CellProcessor.class);
    private static final Duration LOOK_EVERY = Duration.ofSeconds(1);

    /** Counting the state of a cell uses at most one part in this number of its time. */
    private static final int LOOK_SHARE = 200;

    /** Interval of hashing a batch of rows after a start. A batch is small: it delays a decision no more than another decision does. */
    private static final Duration HASH_EVERY = Duration.ofMillis(250);

    private static final int HASHED_AT_ONCE = 1000;

    private final CellSetting setting;
    private final PromptCommits promptCommits;
    private final RecordSerde<StateRow> serde;
    private ProcessorContext<String, SpecificRecord> context;
    private int number;
    private PromptCommits.Attendance commits;
    private TaskTimer counting;
    private TaskTimer waking;
    private CellRows rows;
    private Cell cell;
    private LedgerChain ledger;
    private Announcer announcer;
    private InputTracker tracker;
    private Note note;
    private String log = "";
    private final ClassLabels labels = new ClassLabels();
    private Optional<Instant> ticked = Optional.empty();
    private long wokeAt;
    private long sliceAskedFor = -1;
    private long seen;
    private long looked = Long.MIN_VALUE;
    private Instant lookNext = Instant.EPOCH;

    @SuppressWarnings("NullAway.Init") // Kafka Streams calls init first
    CellProcessor(CellSetting setting, PromptCommits commits, RecordSerde<StateRow> serde) {
        this.setting = setting;
        this.promptCommits = commits;
        this.serde = serde;
    }

    @Override
    public void init(ProcessorContext<String, SpecificRecord> context) {
        this.context = context;
        commits = promptCommits.attend(context);
        counting = new TaskTimer(context, setting.clock(), _ -> look());
        waking = new TaskTimer(context, setting.clock(), this::wake);
        number = context.taskId().partition();
        rows = new CellRows(context.getStateStore(AllocatorTopology.ROWS), serde, setting.snapshotEvery() > 0);
        takeUp();
        tracker = setting.watchdog().attendCell(number, seen, () -> cell.evaluating());
        hashInParts();
        look();
        setTimers();
    }

    /** Sets the timers for what is due. An idle cell has no timer: a timer would cause a commit. */
    private void setTimers() {
        if (seen != looked && !counting.isSet()) {
            counting.setTo(Math.max(setting.clock().millis() + LOOK_EVERY.toMillis(), lookNext.toEpochMilli()));
        }
        if (isSliceDue()) {
            waking.setTo(setting.clock().millis());
        }
        // at most one tick per second: it handles all deadlines that have passed
        cell.state()
                .deadline()
                .filter(due -> !Optional.of(due).equals(ticked))
                .ifPresent(due -> waking.setTo(Math.max(due.toEpochMilli() + 1, wokeAt + LOOK_EVERY.toMillis())));
    }

    private void wake(long now) {
        wokeAt = now;
        tick(Instant.ofEpochMilli(now));
        askForSlice(now);
        setTimers();
    }

    private void hashInParts() {
        var schedule = new AtomicReference<Optional<Cancellable>>(Optional.empty());
        schedule.set(Optional.of(context.schedule(HASH_EVERY, PunctuationType.WALL_CLOCK_TIME, _ -> {
            if (rows.hashSome(HASHED_AT_ONCE)) {
                schedule.getPlain().ifPresent(Cancellable::cancel);
            }
        })));
    }

    /** Restores the cell from its rows, or fails if rows, log and offsets do not match. */
    private void takeUp() {
        CellLog.Bearings bearings = setting.log().bearings(Offsets.log(number));
        log = bearings.id();
        Optional<Note> kept = rows.note();
        boolean isRenewed = bearings.committed().isPresent()
                && setting.log()
                        .isRebuild(Offsets.log(number), bearings.committed().getAsLong());
        if (isRenewed) {
            begin(empty(), Note.fresh(setting.engine(), log));
            return;
        }
        var continuity = Continuity.ofCell(number, setting.log());
        kept.ifPresent(continuity::checkForm);
        var state = empty();
        rows.applyTo(state);
        state.restoreIndexes();
        begin(state, kept.orElseGet(() -> Note.fresh(setting.engine(), log)));
        continuity.check(bearings, kept, seen);
        kept.ifPresent(before -> continuity.checkAnnounced(before, decision -> stands(state, decision)));
        if (!note.engine().equals(setting.engine())) {
            LOG.atInfo()
                    .addKeyValue("cell", number)
                    .addKeyValue("before", note.engine())
                    .addKeyValue("now", setting.engine())
                    .log(
                            "another engine goes on with the cell: what was decided stands, what is decided from here on is its own");
        }
        note = note.by(setting.engine());
    }

    private static boolean stands(State state, DecisionRecord decision) {
        String uid = decision.getClaimUid();
        return state.grant(uid).isPresent()
                || state.claim(new ObjectKey(decision.getNamespace(), decision.getName()))
                        .filter(claim -> claim.meta().uid().equals(uid))
                        .isPresent();
    }

    private State empty() {
        return new State(setting.selectors(), new Place(number, setting.cells()));
    }

    private void begin(State state, Note as) {
        cell = new Cell(state);
        note = as;
        ledger = new LedgerChain(number, as.ledgerHash());
        announcer =
                new Announcer(context, AllocatorTopology.CELL_SINKS, number, ledger, setting.meters(), setting.clock());
        seen = Math.max(as.passed(), applied(state));
    }

    private static long applied(State state) {
        return state.rows().get("count") instanceof Row.CountRow count ? count.offset() : -1;
    }

    @Override
    public void process(Record<String, CellInput> record) {
        long offset = context.recordMetadata()
                .orElseThrow(() -> new IllegalStateException("an input without an offset"))
                .offset();
        if (offset <= seen) {
            return;
        }
        tracker.begin(offset, () -> InputText.of(record.value()));
        try {
            process(offset, record);
        } catch (Throwable e) { // an Error ends the process too, and the next process needs the attempt
            tracker.failed(e);
            throw e;
        }
        seen = offset;
        tracker.end(offset);
        setTimers();
    }

    private void process(long offset, Record<String, CellInput> record) {
        record.value()
                .getRebuild()
                .ifPresentOrElse(rebuild -> beginAnew(rebuild, offset, record), () -> take(offset, record));
        if (isSnapshotDue(offset)) {
            snapshot(offset, record);
        }
    }

    private void take(long offset, Record<String, CellInput> record) {
        Inputs.from(offset, record.value())
                .ifPresentOrElse(input -> step(input, record), () -> keep(note.past(offset)));
    }

    /** Resets the cell at a rebuild input; a replay can start at any rebuild input. */
    private void beginAnew(Rebuild rebuild, long offset, Record<String, CellInput> record) {
        rows.clear();
        begin(
                empty(),
                Note.fresh(setting.engine(), log)
                        .withLedger(rebuild.getLedgerHash())
                        .past(offset));
        LOG.atInfo().addKeyValue("cell", number).addKeyValue("offset", offset).log("the cell begins anew");
        announcer.event(
                cause(offset, record), ledger.rebuild(offset, record.value().getAt(), setting.engine()));
        keep(note.withLedger(ledger.last()));
    }

    private void step(Input input, Record<String, CellInput> record) {
        Step step = cell.step(input);
        step.ignored().forEach(setting.meters()::ignored);
        lastPerRow(step.facts(), Fact::key).forEach(this::keep);
        var cause = cause(input.offset(), record);
        step.outputs().forEach(output -> send(output, cause));
        if (step.outputs().stream().anyMatch(CellProcessor::isWaitedFor)
                || cell.state().isBacklogged()) {
            commits.said(record.timestamp());
        }
        askForSlice(record.timestamp());
        if (seen < 0 || !ledger.last().equals(note.ledgerHash())) {
            keep(note.withLedger(ledger.last()));
        }
    }

    /** Whether another component waits for an output. Explanations are for people and have time until the next commit. */
    private static boolean isWaitedFor(Output output) {
        return switch (output) {
            case Output.Explained _, Output.Forgotten _, Output.Refreshed _, Output.WorkAlarmed _ -> false;
            case Output.Decided _, Output.Ended _, Output.Alarmed _, Output.ToRouter _, Output.Answered _ -> true;
        };
    }

    private boolean isSnapshotDue(long offset) {
        long every = setting.snapshotEvery();
        return every > 0 && seen >= 0 && offset / every != seen / every;
    }

    private void snapshot(long offset, Record<String, CellInput> record) {
        Instant begin = setting.clock().instant();
        ByteBuffer hash = rows.hash();
        Duration hashing = Duration.between(begin, setting.clock().instant());
        announcer.event(
                cause(offset, record), ledger.snapshot(offset, record.value().getAt(), hash, setting.engine()));
        keep(note.withLedger(ledger.last()));
        setting.meters().snapshot(number, hashing);
    }

    private Announcer.Cause cause(long offset, Record<String, CellInput> record) {
        return new Announcer.Cause(offset, record.value().getAt(), record.timestamp(), setting.engine());
    }

    private void keep(Note next) {
        note = next;
        rows.put(next);
    }

    /** Returns the last fact per row. One input can change a row several times; only the last value is stored. */
    static <F> Collection<F> lastPerRow(List<F> facts, Function<F, String> key) {
        var last = new LinkedHashMap<String, F>();
        facts.forEach(fact -> last.put(key.apply(fact), fact));
        return last.values();
    }

    private void keep(Fact fact) {
        switch (fact) {
            case Fact.Put put -> rows.put(put.row());
            case Fact.Drop drop -> rows.drop(drop.key());
        }
    }

    private void send(Output output, Announcer.Cause cause) {
        if (output instanceof Output.ToRouter(Verdict verdict)) {
            announcer.hand(
                    "", RouterWire.to(number, verdict, cell.state().free(), cause.at()), AllocatorTopology.ROUTER);
        } else {
            announcer.say(output, cause);
        }
    }

    /**
     * Writes a tick to the cell's input when a deadline has passed. The cell learns the time only from its input, so that replay is
     * deterministic.
     */
    private void tick(Instant now) {
        Optional<Instant> due = cell.state().deadline().filter(deadline -> !deadline.isAfter(now));
        if (due.isPresent() && !due.equals(ticked)) {
            ticked = due;
            var input = CellInput.newBuilder().setAt(now).setTick(new Tick()).build();
            context.forward(new Record<>(Integer.toString(number), input, now.toEpochMilli()), AllocatorTopology.TICKS);
        }
    }

    /**
     * Writes the next slice of unfinished work to the end of the cell's input. The commit interval limits the rate, so that most of the
     * time remains for other inputs.
     */
    private void askForSlice(long now) {
        if (isSliceDue()) {
            long next = cell.state().nextSlice();
            sliceAskedFor = next;
            var input = CellInput.newBuilder()
                    .setAt(Instant.ofEpochMilli(now))
                    .setWorkSlice(new WorkSlice(next))
                    .build();
            context.forward(new Record<>(Integer.toString(number), input, now), AllocatorTopology.TICKS);
        }
    }

    private boolean isSliceDue() {
        return cell.state().isWorkUnfinished() && cell.state().nextSlice() != sliceAskedFor;
    }

    /** Updates the numbers of the cell's meters if an input was processed since the last count. */
    private void look() {
        if (seen == looked) {
            return;
        }
        Instant now = setting.clock().instant();
        tracker.beginOther("counts claims and devices");
        setting.meters().stands(number, CellFigures.of(cell.state(), labels), now);
        tracker.endOther();
        looked = seen;
        Duration spent = Duration.between(now, setting.clock().instant());
        lookNext = now.plus(spent.multipliedBy(LOOK_SHARE));
    }

    @Override
    public void close() {
        commits.close();
        counting.cancel();
        waking.cancel();
        setting.watchdog().leave(tracker);
        setting.meters().gone(number);
    }
}
