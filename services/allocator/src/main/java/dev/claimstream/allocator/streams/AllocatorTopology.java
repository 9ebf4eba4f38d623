package dev.claimstream.allocator.streams;

import dev.claimstream.kafka.AvroSerde;
import dev.claimstream.kafka.KeyPartitioner;
import dev.claimstream.kafka.Topics;
import dev.claimstream.kafka.registry.SchemaRegistry;
import dev.claimstream.schemas.CellInputRecord;
import dev.claimstream.schemas.ComparisonRecord;
import dev.claimstream.schemas.DecisionRecord;
import dev.claimstream.schemas.ExplanationRecord;
import dev.claimstream.schemas.LedgerEvent;
import dev.claimstream.schemas.PlacementRecord;
import dev.claimstream.schemas.RouterInputRecord;
import dev.claimstream.schemas.RouterStateRow;
import dev.claimstream.schemas.StateRow;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.StoreBuilder;
import org.apache.kafka.streams.state.Stores;

/**
 * Builds the topology: {@code cells.in} → cell → {@code decisions.v1}, {@code explanations.v1}, {@code ledger.v1}.
 *
 * <p>An input and everything that follows from it are in one transaction. Each cell and the router is a task with its own processor and its
 * own stores; one thread at a time processes a task. The threads share the {@link TaskEnvironment}, the thread-safe serdes, the stateless
 * partitioners, and {@link CommitScheduler}, which has state per thread.
 */
public final class AllocatorTopology {
    /** Application id and consumer group of the cells; prefix of the internal topics. */
    static final String APPLICATION = "claimstream-allocator";

    static final String ROWS = "cell-rows";

    /** The changelog with the rows of all cells. */
    static final String CHANGELOG = APPLICATION + "-" + ROWS + "-changelog";

    static final String PROCESS = "process-id";
    static final String ROUTER = "router";
    static final String CELLS = "cells";
    static final String TICKS = "ticks";
    static final String PLACEMENT = "placement";
    static final String ROUTER_ROWS = "router-rows";

    private static final String CELL = "cell";
    private static final String INPUT = "input";
    private static final String ROUTING = "routing";
    private static final String ROUTER_INPUT = "router-input";

    static final Sinks CELL_SINKS = new Sinks("decisions", "explanations", "comparisons", "ledger");
    static final Sinks ROUTER_SINKS =
            new Sinks("router-decisions", "router-explanations", "router-comparisons", "router-ledger");

    private AllocatorTopology() {}

    /** The whole topology; with several cells it contains the router. */
    static Topology of(SchemaRegistry registry, TaskEnvironment environment, CommitScheduler commitScheduler) {
        var topology = new Topology();
        addCells(topology, registry, environment, commitScheduler);
        addSinks(topology, registry, CELL, CELL_SINKS);
        addTicks(topology, registry);
        if (environment.cells() > 1) {
            addRouter(topology, registry, environment, commitScheduler);
            addSinks(topology, registry, ROUTING, ROUTER_SINKS);
        }
        return topology;
    }

    private static void addCells(
            Topology topology, SchemaRegistry registry, TaskEnvironment environment, CommitScheduler commitScheduler) {
        var text = Serdes.String();
        var rows = AvroSerde.of(StateRow.class, registry).withBytesMax(2 * AvroSerde.BYTES_MAX);
        topology.addSource(INPUT, text.deserializer(), inputs(registry).deserializer(), Topics.CELLS_IN)
                .addProcessor(CELL, () -> new CellProcessor(environment, commitScheduler, rows), INPUT)
                .addStateStore(inMemory(ROWS), CELL)
                .addStateStore(
                        // The only persistent store: it makes Kafka Streams keep the process id, which fences our
                        // earlier transactions.
                        Stores.keyValueStoreBuilder(Stores.persistentKeyValueStore(PROCESS), text, text)
                                .withLoggingDisabled()
                                .withCachingDisabled(),
                        CELL);
    }

    private static void addRouter(
            Topology topology, SchemaRegistry registry, TaskEnvironment environment, CommitScheduler commitScheduler) {
        var text = Serdes.String();
        var routerInputs = AvroSerde.of(RouterInputRecord.class, registry).withBytesMax(3 * AvroSerde.BYTES_MAX);
        var rows = AvroSerde.of(RouterStateRow.class, registry).withBytesMax(2 * AvroSerde.BYTES_MAX);
        topology.addSource(ROUTER_INPUT, text.deserializer(), routerInputs.deserializer(), Topics.ROUTER_IN)
                .addProcessor(ROUTING, () -> new RouterProcessor(environment, commitScheduler, rows), ROUTER_INPUT)
                .addStateStore(inMemory(ROUTER_ROWS), ROUTING)
                .addSink(
                        CELLS,
                        Topics.CELLS_IN,
                        text.serializer(),
                        inputs(registry).serializer(),
                        (topic, cells, input, partitions) -> Optional.of(partitionsOf(cells)),
                        ROUTING)
                .addSink(
                        PLACEMENT,
                        Topics.PLACEMENT,
                        text.serializer(),
                        AvroSerde.of(PlacementRecord.class, registry).serializer(),
                        KeyPartitioner.forStreams(),
                        ROUTING)
                .addSink(ROUTER, Topics.ROUTER_IN, text.serializer(), routerInputs.serializer(), CELL);
    }

    /** Adds the sink for ticks and work slices, which a cell writes to its own partition of {@code cells.in}. */
    private static void addTicks(Topology topology, SchemaRegistry registry) {
        topology.addSink(
                TICKS,
                Topics.CELLS_IN,
                Serdes.String().serializer(),
                inputs(registry).serializer(),
                (topic, cell, tick, partitions) -> Optional.of(partitionsOf(cell)),
                CELL);
    }

    private static AvroSerde<CellInputRecord> inputs(SchemaRegistry registry) {
        return AvroSerde.of(CellInputRecord.class, registry).withBytesMax(2 * AvroSerde.BYTES_MAX);
    }

    private static StoreBuilder<KeyValueStore<String, byte[]>> inMemory(String name) {
        return Stores.keyValueStoreBuilder(Stores.inMemoryKeyValueStore(name), Serdes.String(), Serdes.ByteArray())
                .withLoggingEnabled(Map.of())
                .withCachingDisabled();
    }

    /** Parses the cell numbers that the router has put into a key. */
    private static Set<Integer> partitionsOf(String cells) {
        var partitions = new LinkedHashSet<Integer>();
        for (String cell : cells.split(",", -1)) {
            partitions.add(Integer.valueOf(cell));
        }
        return partitions;
    }

    /**
     * Names of the sinks of one processor.
     *
     * <p>The cells and the router have separate sinks: shared sinks would make one sub-topology, and so one task, of both.
     */
    record Sinks(String decisions, String explanations, String comparisons, String ledger) {}

    private static void addSinks(Topology topology, SchemaRegistry registry, String from, Sinks sinks) {
        var text = Serdes.String();
        topology.addSink(
                        sinks.decisions(),
                        Topics.DECISIONS,
                        text.serializer(),
                        AvroSerde.of(DecisionRecord.class, registry).serializer(),
                        KeyPartitioner.forStreams(),
                        from)
                .addSink(
                        sinks.explanations(),
                        Topics.EXPLANATIONS,
                        text.serializer(),
                        AvroSerde.of(ExplanationRecord.class, registry).serializer(),
                        KeyPartitioner.forStreams(),
                        from)
                .addSink(
                        sinks.comparisons(),
                        Topics.COMPARISONS,
                        text.serializer(),
                        AvroSerde.of(ComparisonRecord.class, registry).serializer(),
                        KeyPartitioner.forStreams(),
                        from)
                .addSink(
                        sinks.ledger(),
                        Topics.LEDGER,
                        text.serializer(),
                        AvroSerde.of(LedgerEvent.class, registry).serializer(),
                        // A cell has the same partition in ledger.v1 and cells.in. The router has the partition after
                        // the last cell.
                        (topic, cell, event, partitions) -> Optional.of(Set.of(Integer.parseInt(cell))),
                        from);
    }
}
