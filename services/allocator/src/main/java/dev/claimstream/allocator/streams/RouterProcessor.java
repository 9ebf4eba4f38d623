package dev.claimstream.allocator.streams;

import dev.claimstream.allocation.cell.Output;
import dev.claimstream.allocation.router.Router;
import dev.claimstream.allocation.router.RouterFact;
import dev.claimstream.allocation.router.RouterInput;
import dev.claimstream.allocation.router.RouterOutput;
import dev.claimstream.allocation.router.RouterRow;
import dev.claimstream.allocation.router.RouterState;
import dev.claimstream.audit.streams.InputText;
import dev.claimstream.audit.streams.LedgerChain;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.kafka.DecodeResult;
import dev.claimstream.kafka.RecordSerde;
import dev.claimstream.kafka.contracts.SubjectSchemas;
import dev.claimstream.schemas.CellInputRecord;
import dev.claimstream.schemas.PlacementRecord;
import dev.claimstream.schemas.Rebuild;
import dev.claimstream.schemas.RouterInputRecord;
import dev.claimstream.schemas.RouterStateRow;
import dev.claimstream.wire.CellInputWriter;
import dev.claimstream.wire.RouterInputCodec;
import dev.claimstream.wire.RouterRowCodec;
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
final class RouterProcessor implements Processor<String, RouterInputRecord, String, SpecificRecord> {
    private static final Logger LOG = LoggerFactory.getLogger(RouterProcessor.class);

    /** Key of the row with the hash of the last ledger event. It is a row so that it commits with the state. */
    private static final String LEDGER_ROW = "ledger";

    /** Key of the row with the offset of the last input without meaning for the router. */
    private static final String IGNORED_ROW = "last-ignored-offset";

    /** Key of the row with the id of the topic whose inputs were applied. */
    private static final String LOG_ROW = "log";

    private static final Duration COUNT_INTERVAL = Duration.ofSeconds(1);
    private static final String SUBJECT = SubjectSchemas.ROUTER_ROWS;

    private final TaskEnvironment environment;
    private final CommitScheduler commitScheduler;
    private final RecordSerde<RouterStateRow> serde;
    private ProcessorContext<String, SpecificRecord> context;
    private KeyValueStore<String, byte[]> rows;
    private CommitScheduler.TaskCommits commits;
    private TaskTimer countTimer;
    private Router router;
    private LedgerChain ledger;
    private OutputPublisher publisher;
    private InputTracker tracker;
    private String log = "";
    private boolean isLogStored;
    private long lastOffset = -1;
    private long countedOffset = -2;

    @SuppressWarnings("NullAway.Init") // Kafka Streams calls init first
    RouterProcessor(TaskEnvironment environment, CommitScheduler commitScheduler, RecordSerde<RouterStateRow> serde) {
        this.environment = environment;
        this.commitScheduler = commitScheduler;
        this.serde = serde;
    }

    @Override
    public void init(ProcessorContext<String, SpecificRecord> context) {
        this.context = context;
        commits = commitScheduler.register(context);
        countTimer = new TaskTimer(context, environment.clock(), _ -> updateFigures());
        rows = context.getStateStore(AllocatorTopology.ROUTER_ROWS);
        restore();
        tracker = environment.watchdog().trackRouter(lastOffset);
        updateFigures();
    }

    /** Restores the router from its rows, or fails if rows, log and offsets do not match. */
    private void restore() {
        CellLog.LogPosition position = environment.log().position(KafkaAdmin.ROUTER);
        log = position.id();
        boolean isRebuild = position.committed().isPresent()
                && environment
                        .log()
                        .isRebuild(KafkaAdmin.ROUTER, position.committed().getAsLong());
        if (isRebuild) {
            initialize(emptyState(), ByteBuffer.allocate(0));
        } else {
            restoreRows(position);
        }
    }

    private void restoreRows(CellLog.LogPosition position) {
        var state = emptyState();
        var header = StateHeader.initial(environment.format(), environment.engine(), log);
        boolean isEmpty = true;
        try (var all = rows.all()) {
            while (all.hasNext()) {
                var row = all.next();
                isEmpty = false;
                switch (row.key) {
                    case LEDGER_ROW -> header = header.withLedger(ByteBuffer.wrap(row.value));
                    case IGNORED_ROW ->
                        header = header.withIgnored(ByteBuffer.wrap(row.value).getLong());
                    case LOG_ROW -> {
                        header = header.withLog(new String(row.value, StandardCharsets.UTF_8));
                        isLogStored = true;
                    }
                    default -> {
                        RouterRow decoded = RouterRowCodec.from(read(row.key, row.value));
                        LogContinuityCheck.checkKey(row.key, decoded.key());
                        state.apply(new RouterFact.RouterRowPut(decoded));
                    }
                }
            }
        }
        lastOffset = Math.max(header.lastIgnoredOffset(), applied(state));
        var continuity = LogContinuityCheck.ofRouter(environment.cells(), environment.log());
        continuity.check(position, isEmpty ? Optional.empty() : Optional.of(header), lastOffset);
        continuity.checkPublished(
                header,
                decision -> state.exists(
                        new ObjectKey(decision.getNamespace(), decision.getName()), decision.getClaimUid()));
        initialize(state, header.ledgerHash());
    }

    private RouterState emptyState() {
        return new RouterState(environment.cells());
    }

    private static long applied(RouterState state) {
        return state.rows().get("count") instanceof RouterRow.RouterCountRow count ? count.offset() : -1;
    }

    private void initialize(RouterState state, ByteBuffer hash) {
        router = new Router(state);
        ledger = new LedgerChain(environment.cells(), hash);
        publisher = new OutputPublisher(
                context,
                AllocatorTopology.ROUTER_SINKS,
                environment.cells(),
                ledger,
                environment.meters(),
                environment.clock());
    }

    /** Updates the numbers of the router's meters if an input was processed since the last count. */
    private void updateFigures() {
        long offset = lastOffset;
        if (offset != countedOffset) {
            tracker.beginMaintenance("counts claims");
            environment
                    .meters()
                    .update(
                            environment.cells(),
                            CellFigures.of(router.state()),
                            environment.clock().instant());
            tracker.endMaintenance();
            countedOffset = offset;
        }
    }

    private RouterStateRow read(String key, byte[] bytes) {
        return switch (serde.read(SUBJECT, bytes)) {
            case DecodeResult.Value<RouterStateRow>(RouterStateRow row) -> row;
            case DecodeResult.Tombstone<RouterStateRow>() ->
                throw new IllegalStateException("row %s of the router is empty".formatted(key));
            case DecodeResult.Failure<RouterStateRow> failure ->
                throw LogContinuityException.unreadable(key, failure.message());
        };
    }

    @Override
    public void process(Record<String, RouterInputRecord> record) {
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
        tracker.end(offset);
        if (!countTimer.isSet()) {
            countTimer.setTo(environment.clock().millis() + COUNT_INTERVAL.toMillis());
        }
    }

    private void process(long offset, Record<String, RouterInputRecord> record) {
        lastOffset = offset;
        var cause = new OutputPublisher.SourceInput(
                offset, record.value().getAt(), record.timestamp(), environment.engine());
        record.value()
                .getObservation()
                .flatMap(CellInputRecord::getRebuild)
                .ifPresentOrElse(
                        rebuild -> reset(rebuild, cause),
                        () -> RouterInputCodec.from(offset, record.value())
                                .ifPresentOrElse(input -> step(input, cause), () -> storeIgnoredOffset(offset)));
        if (!isLogStored) {
            rows.put(LOG_ROW, log.getBytes(StandardCharsets.UTF_8));
            isLogStored = true;
        }
    }

    private void step(RouterInput input, OutputPublisher.SourceInput cause) {
        var step = router.step(input);
        step.ignored().forEach(environment.meters()::countIgnored);
        CellProcessor.lastPerRow(step.facts(), RouterFact::key).forEach(this::store);
        ByteBuffer before = ledger.last();
        step.outputs().forEach(output -> send(output, cause));
        if (!step.outputs().isEmpty()) {
            commits.addOutput(cause.timestamp());
        }
        if (!before.equals(ledger.last())) {
            rows.put(LEDGER_ROW, bytes(ledger.last()));
        }
    }

    private void reset(Rebuild rebuild, OutputPublisher.SourceInput cause) {
        List<String> keys = new ArrayList<>();
        try (var all = rows.all()) {
            all.forEachRemaining(row -> keys.add(row.key));
        }
        keys.forEach(rows::delete);
        isLogStored = false;
        initialize(emptyState(), rebuild.getLedgerHash());
        LOG.atInfo().addKeyValue("offset", cause.offset()).log("the router starts from an empty state");
        publisher.event(cause, ledger.rebuild(cause.offset(), cause.at(), environment.engine()));
        rows.put(LEDGER_ROW, bytes(ledger.last()));
        storeIgnoredOffset(cause.offset());
    }

    private void storeIgnoredOffset(long offset) {
        rows.put(IGNORED_ROW, ByteBuffer.allocate(Long.BYTES).putLong(offset).array());
    }

    private static byte[] bytes(ByteBuffer hash) {
        var bytes = new byte[hash.remaining()];
        hash.duplicate().get(bytes);
        return bytes;
    }

    private void store(RouterFact fact) {
        switch (fact) {
            case RouterFact.RouterRowPut put -> rows.put(put.key(), serde.write(SUBJECT, RouterRowCodec.to(put.row())));
            case RouterFact.RouterRowDrop drop -> rows.delete(drop.key());
        }
    }

    private void send(RouterOutput output, OutputPublisher.SourceInput cause) {
        switch (output) {
            case RouterOutput.CellObservation toCells ->
                publisher.forwardNow(
                        key(toCells.cells()),
                        CellInputWriter.to(toCells.observation(), cause.at()),
                        AllocatorTopology.CELLS);
            case RouterOutput.NodePlacement placed ->
                publisher.forward(
                        cause,
                        placed.node(),
                        new PlacementRecord(placed.node(), placed.cell(), cause.at()),
                        AllocatorTopology.PLACEMENT);
            case RouterOutput.PublicOutput(Output publicOutput) -> publisher.publish(publicOutput, cause);
        }
    }

    /** The key of a record for several cells: their numbers, separated by commas. */
    static String key(Collection<Integer> cells) {
        return cells.stream().map(String::valueOf).collect(Collectors.joining(","));
    }

    @Override
    public void close() {
        commits.close();
        countTimer.cancel();
        environment.watchdog().untrack(tracker);
        environment.meters().remove(environment.cells());
    }
}
