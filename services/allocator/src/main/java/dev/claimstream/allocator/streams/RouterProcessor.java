package dev.claimstream.allocator.streams;

import dev.claimstream.allocation.cell.Output;
import dev.claimstream.allocation.router.Router;
import dev.claimstream.allocation.router.RouterFact;
import dev.claimstream.allocation.router.RouterOutput;
import dev.claimstream.allocation.router.RouterState;
import dev.claimstream.kafka.Decoded;
import dev.claimstream.kafka.RecordSerde;
import dev.claimstream.schemas.PlacementRecord;
import dev.claimstream.schemas.RouterInput;
import dev.claimstream.schemas.RouterStateRow;
import dev.claimstream.wire.Observations;
import dev.claimstream.wire.RouterRows;
import dev.claimstream.wire.RouterWire;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Collection;
import java.util.stream.Collectors;
import org.apache.avro.specific.SpecificRecord;
import org.apache.kafka.streams.processor.PunctuationType;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.state.KeyValueStore;

/** Hosts the router: keeps its rows, feeds it, and sends on what it says. */
final class RouterProcessor implements Processor<String, RouterInput, String, SpecificRecord> {
    /** Where the chain of the router's ledger stands; kept among the rows, so that it commits with them. */
    private static final String LEDGER_ROW = "ledger";

    private static final Duration LOOK_EVERY = Duration.ofSeconds(1);
    private static final String SUBJECT = "router-rows";

    private final CellSetting setting;
    private final RecordSerde<RouterStateRow> serde;
    private ProcessorContext<String, SpecificRecord> context;
    private KeyValueStore<String, byte[]> rows;
    private Router router;
    private LedgerChain ledger;
    private Announcer announcer;
    private PromptCommits commits;
    private long seen = -1;
    private long looked = -2;

    @SuppressWarnings("NullAway.Init") // Kafka Streams calls init before anything else
    RouterProcessor(CellSetting setting, RecordSerde<RouterStateRow> serde) {
        this.setting = setting;
        this.serde = serde;
    }

    @Override
    public void init(ProcessorContext<String, SpecificRecord> context) {
        this.context = context;
        rows = context.getStateStore(AllocatorTopology.ROUTER_ROWS);
        var state = new RouterState(setting.cells(), setting.selectors());
        ByteBuffer hash = ByteBuffer.allocate(0);
        boolean isEmpty = true;
        try (var all = rows.all()) {
            while (all.hasNext()) {
                var row = all.next();
                isEmpty = false;
                if (row.key.equals(LEDGER_ROW)) {
                    hash = ByteBuffer.wrap(row.value);
                } else {
                    state.apply(new RouterFact.Put(RouterRows.from(read(row.key, row.value))));
                }
            }
        }
        if (isEmpty && setting.log().hasRouted()) {
            throw new Discontinuity(
                    "the router: its state is empty, and it has routed items before: its changelog is lost; with several cells"
                            + " nothing can be rebuilt yet: begin with empty topics and an empty data folder");
        }
        router = new Router(state);
        ledger = new LedgerChain(setting.cells(), hash);
        commits = new PromptCommits(context);
        context.schedule(LOOK_EVERY, PunctuationType.WALL_CLOCK_TIME, now -> look());
        announcer = new Announcer(
                context, AllocatorTopology.ROUTER_SINKS, setting.cells(), ledger, setting.meters(), setting.clock());
    }

    /** Counts what waits here; that takes a moment where much does, and is left out while nothing changes. */
    private void look() {
        long offset = seen;
        if (offset != looked) {
            setting.meters().stands(setting.cells(), CellFigures.of(router.state()));
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
    public void process(Record<String, RouterInput> record) {
        long offset = context.recordMetadata()
                .orElseThrow(() -> new IllegalStateException("an input without an offset"))
                .offset();
        RouterWire.from(offset, record.value()).ifPresent(input -> {
            seen = offset;
            var step = router.step(input);
            step.facts().forEach(this::keep);
            var cause = new Announcer.Cause(offset, input.at(), record.timestamp(), setting.engine());
            ByteBuffer before = ledger.last();
            step.outputs().forEach(output -> send(output, cause));
            if (!step.outputs().isEmpty()) {
                commits.said(record.timestamp());
            }
            if (!before.equals(ledger.last())) {
                rows.put(LEDGER_ROW, bytes(ledger.last()));
            }
        });
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
                announcer.forward(
                        cause,
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

    /** Names the cells that a record is for. */
    static String key(Collection<Integer> cells) {
        return cells.stream().map(String::valueOf).collect(Collectors.joining(","));
    }

    @Override
    public void close() {
        setting.meters().gone(setting.cells());
    }
}
