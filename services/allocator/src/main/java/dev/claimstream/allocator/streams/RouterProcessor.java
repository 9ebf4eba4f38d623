package dev.claimstream.allocator.streams;

import dev.claimstream.allocation.cell.Output;
import dev.claimstream.allocation.router.Router;
import dev.claimstream.allocation.router.RouterFact;
import dev.claimstream.allocation.router.RouterInput;
import dev.claimstream.allocation.router.RouterOutput;
import dev.claimstream.allocation.router.RouterRow;
import dev.claimstream.allocation.router.RouterState;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.kafka.Decoded;
import dev.claimstream.kafka.RecordSerde;
import dev.claimstream.schemas.CellInput;
import dev.claimstream.schemas.PlacementRecord;
import dev.claimstream.schemas.Rebuild;
import dev.claimstream.schemas.RouterStateRow;
import dev.claimstream.wire.Observations;
import dev.claimstream.wire.RouterRows;
import dev.claimstream.wire.RouterWire;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.apache.avro.specific.SpecificRecord;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.state.KeyValueStore;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the router as a Kafka Streams task: stores its rows, feeds it inputs, and forwards its outputs.
 *
 * <p>Only the stream thread of the task uses it. Rows, outputs and the input offset commit in one transaction.
 */
final class RouterProcessor implements Processor<String, dev.claimstream.schemas.RouterInput, String, SpecificRecord> {
    private static final Logger LOG = LoggerFactory.getLogger(RouterProcessor.class);

    /** Key of the row with the hash of the last ledger event. It is a row so that it commits with the state. */
    private static final String LEDGER_ROW = "ledger";

    /** Key of the row with the offset of the last input without meaning for the router. */
    private static final String PASSED_ROW = "passed";

    /** Key of the row with the id of the topic whose inputs were applied. */
    private static final String LOG_ROW = "log";

    private static final Duration LOOK_EVERY = Duration.ofSeconds(1);
    private static final String SUBJECT = "router-rows";

    private final CellSetting setting;
    private final PromptCommits promptCommits;
    private final RecordSerde<RouterStateRow> serde;
    private ProcessorContext<String, SpecificRecord> context;
    private KeyValueStore<String, byte[]> rows;
    private PromptCommits.Attendance commits;
    private TaskTimer counting;
    private Router router;
    private LedgerChain ledger;
    private Announcer announcer;
    private InputTracker tracker;
    private String log = "";
    private boolean isLogKept;
    private long seen = -1;
    private long looked = -2;

    @SuppressWarnings("NullAway.Init") // Kafka Streams calls init first
    RouterProcessor(CellSetting setting, PromptCommits commits, RecordSerde<RouterStateRow> serde) {
        this.setting = setting;
        this.promptCommits = commits;
        this.serde = serde;
    }

    @Override
    public void init(ProcessorContext<String, SpecificRecord> context) {
        this.context = context;
        commits = promptCommits.attend(context);
        counting = new TaskTimer(context, setting.clock(), _ -> look());
        rows = context.getStateStore(AllocatorTopology.ROUTER_ROWS);
        takeUp();
        tracker = setting.watchdog().attendRouter(seen);
        look();
    }

    /** Restores the router from its rows, or fails if rows, log and offsets do not match. */
    private void takeUp() {
        CellLog.Bearings bearings = setting.log().bearings(Offsets.ROUTER);
        log = bearings.id();
        boolean isRenewed = bearings.committed().isPresent()
                && setting.log().isRebuild(Offsets.ROUTER, bearings.committed().getAsLong());
        if (isRenewed) {
            begin(empty(), ByteBuffer.allocate(0));
        } else {
            goOn(bearings);
        }
    }

    private void goOn(CellLog.Bearings bearings) {
        var state = empty();
        var note = Note.fresh(setting.engine(), log);
        boolean isEmpty = true;
        try (var all = rows.all()) {
            while (all.hasNext()) {
                var row = all.next();
                isEmpty = false;
                switch (row.key) {
                    case LEDGER_ROW -> note = note.withLedger(ByteBuffer.wrap(row.value));
                    case PASSED_ROW ->
                        note = note.past(ByteBuffer.wrap(row.value).getLong());
                    case LOG_ROW -> {
                        note = note.withLog(new String(row.value, StandardCharsets.UTF_8));
                        isLogKept = true;
                    }
                    default -> state.apply(new RouterFact.Put(RouterRows.from(read(row.key, row.value))));
                }
            }
        }
        seen = Math.max(note.passed(), applied(state));
        var continuity = Continuity.ofRouter(setting.cells(), setting.log());
        continuity.check(bearings, isEmpty ? Optional.empty() : Optional.of(note), seen);
        continuity.checkAnnounced(
                note,
                decision -> state.stands(
                        new ObjectKey(decision.getNamespace(), decision.getName()), decision.getClaimUid()));
        begin(state, note.ledgerHash());
    }

    private RouterState empty() {
        return new RouterState(setting.cells(), setting.selectors());
    }

    private static long applied(RouterState state) {
        return state.rows().get("count") instanceof RouterRow.CountRow count ? count.offset() : -1;
    }

    private void begin(RouterState state, ByteBuffer hash) {
        router = new Router(state);
        ledger = new LedgerChain(setting.cells(), hash);
        announcer = new Announcer(
                context, AllocatorTopology.ROUTER_SINKS, setting.cells(), ledger, setting.meters(), setting.clock());
    }

    /** Updates the numbers of the router's meters if an input was processed since the last count. */
    private void look() {
        long offset = seen;
        if (offset != looked) {
            tracker.beginOther("counts claims");
            setting.meters()
                    .stands(
                            setting.cells(),
                            CellFigures.of(router.state()),
                            setting.clock().instant());
            tracker.endOther();
            looked = offset;
        }
    }

    private RouterStateRow read(String key, byte[] bytes) {
        return switch (serde.read(SUBJECT, bytes)) {
            case Decoded.Value<RouterStateRow>(RouterStateRow row) -> row;
            case Decoded.Tombstone<RouterStateRow>() ->
                throw new IllegalStateException("row %s of the router is empty".formatted(key));
            case Decoded.Bad<RouterStateRow> bad -> throw Discontinuity.unreadable(key, bad.message());
        };
    }

    @Override
    public void process(Record<String, dev.claimstream.schemas.RouterInput> record) {
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
        tracker.end(offset);
        if (!counting.isSet()) {
            counting.setTo(setting.clock().millis() + LOOK_EVERY.toMillis());
        }
    }

    private void process(long offset, Record<String, dev.claimstream.schemas.RouterInput> record) {
        seen = offset;
        var cause = new Announcer.Cause(offset, record.value().getAt(), record.timestamp(), setting.engine());
        record.value()
                .getSeen()
                .flatMap(CellInput::getRebuild)
                .ifPresentOrElse(
                        rebuild -> beginAnew(rebuild, cause),
                        () -> RouterWire.from(offset, record.value())
                                .ifPresentOrElse(input -> step(input, cause), () -> passed(offset)));
        if (!isLogKept) {
            rows.put(LOG_ROW, log.getBytes(StandardCharsets.UTF_8));
            isLogKept = true;
        }
    }

    private void step(RouterInput input, Announcer.Cause cause) {
        var step = router.step(input);
        step.ignored().forEach(setting.meters()::ignored);
        CellProcessor.lastPerRow(step.facts(), RouterFact::key).forEach(this::keep);
        ByteBuffer before = ledger.last();
        step.outputs().forEach(output -> send(output, cause));
        if (!step.outputs().isEmpty()) {
            commits.said(cause.timestamp());
        }
        if (!before.equals(ledger.last())) {
            rows.put(LEDGER_ROW, bytes(ledger.last()));
        }
    }

    private void beginAnew(Rebuild rebuild, Announcer.Cause cause) {
        List<String> keys = new ArrayList<>();
        try (var all = rows.all()) {
            all.forEachRemaining(row -> keys.add(row.key));
        }
        keys.forEach(rows::delete);
        isLogKept = false;
        begin(empty(), rebuild.getLedgerHash());
        LOG.atInfo().addKeyValue("offset", cause.offset()).log("the router begins anew");
        announcer.event(cause, ledger.rebuild(cause.offset(), cause.at(), setting.engine()));
        rows.put(LEDGER_ROW, bytes(ledger.last()));
        passed(cause.offset());
    }

    private void passed(long offset) {
        rows.put(PASSED_ROW, ByteBuffer.allocate(Long.BYTES).putLong(offset).array());
    }

    private static byte[] bytes(ByteBuffer hash) {
        var bytes = new byte[hash.remaining()];
        hash.duplicate().get(bytes);
        return bytes;
    }

    private void keep(RouterFact fact) {
        switch (fact) {
            case RouterFact.Put put -> rows.put(put.key(), serde.write(SUBJECT, RouterRows.to(put.row())));
            case RouterFact.Drop drop -> rows.delete(drop.key());
        }
    }

    private void send(RouterOutput output, Announcer.Cause cause) {
        switch (output) {
            case RouterOutput.ToCells toCells ->
                announcer.hand(
                        key(toCells.cells()),
                        Observations.to(toCells.observation(), cause.at()),
                        AllocatorTopology.CELLS);
            case RouterOutput.Placed placed ->
                announcer.forward(
                        cause,
                        placed.node(),
                        new PlacementRecord(placed.node(), placed.cell(), cause.at()),
                        AllocatorTopology.PLACEMENT);
            case RouterOutput.Said(Output said) -> announcer.say(said, cause);
        }
    }

    /** The key of a record for several cells: their numbers, separated by commas. */
    static String key(Collection<Integer> cells) {
        return cells.stream().map(String::valueOf).collect(Collectors.joining(","));
    }

    @Override
    public void close() {
        commits.close();
        counting.cancel();
        setting.watchdog().leave(tracker);
        setting.meters().gone(setting.cells());
    }
}
