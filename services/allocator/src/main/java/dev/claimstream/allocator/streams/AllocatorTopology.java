package dev.claimstream.allocator.streams;

import dev.claimstream.kafka.AvroSerde;
import dev.claimstream.kafka.KeyPartitioner;
import dev.claimstream.kafka.Topics;
import dev.claimstream.kafka.registry.SchemaRegistry;
import dev.claimstream.schemas.CellInput;
import dev.claimstream.schemas.DecisionRecord;
import dev.claimstream.schemas.ExplanationRecord;
import dev.claimstream.schemas.LedgerEvent;
import dev.claimstream.schemas.StateRow;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.state.Stores;

/** {@code cells.in} → cell → {@code decisions.v1}, {@code explanations.v1}, {@code ledger.v1}: one hop, one transaction. */
public final class AllocatorTopology {
    /** The group of the cells, and the beginning of the names of what belongs to it. */
    static final String APPLICATION = "claimstream-allocator";

    static final String ROWS = "cell-rows";

    /** Where the rows of every cell are kept. */
    static final String CHANGELOG = APPLICATION + "-" + ROWS + "-changelog";

    static final String PROCESS = "process-id";
    static final String DECISIONS = "decisions";
    static final String EXPLANATIONS = "explanations";
    static final String LEDGER = "ledger";

    private static final String CELL = "cell";
    private static final String INPUT = "input";

    private AllocatorTopology() {}

    /** The whole graph. */
    static Topology of(SchemaRegistry registry, CellSetting setting) {
        var text = Serdes.String();
        var inputs = AvroSerde.of(CellInput.class, registry).withBytesMax(2 * AvroSerde.BYTES_MAX);
        var rows = AvroSerde.of(StateRow.class, registry).withBytesMax(2 * AvroSerde.BYTES_MAX);
        return new Topology()
                .addSource(INPUT, text.deserializer(), inputs.deserializer(), Topics.CELLS_IN)
                .addProcessor(CELL, () -> new CellProcessor(setting, rows), INPUT)
                .addStateStore(
                        Stores.keyValueStoreBuilder(Stores.inMemoryKeyValueStore(ROWS), text, Serdes.ByteArray())
                                .withLoggingEnabled(Map.of())
                                .withCachingDisabled(),
                        CELL)
                .addStateStore(
                        // one persistent store keeps the process id, and with it the fencing of our own earlier
                        // transactions
                        Stores.keyValueStoreBuilder(Stores.persistentKeyValueStore(PROCESS), text, text)
                                .withLoggingDisabled()
                                .withCachingDisabled(),
                        CELL)
                .addSink(
                        DECISIONS,
                        Topics.DECISIONS,
                        text.serializer(),
                        AvroSerde.of(DecisionRecord.class, registry).serializer(),
                        KeyPartitioner.forStreams(),
                        CELL)
                .addSink(
                        EXPLANATIONS,
                        Topics.EXPLANATIONS,
                        text.serializer(),
                        AvroSerde.of(ExplanationRecord.class, registry).serializer(),
                        KeyPartitioner.forStreams(),
                        CELL)
                .addSink(
                        LEDGER,
                        Topics.LEDGER,
                        text.serializer(),
                        AvroSerde.of(LedgerEvent.class, registry).serializer(),
                        // a cell has one partition of the ledger, as it has one of cells.in
                        (topic, cell, event, partitions) -> Optional.of(Set.of(Integer.parseInt(cell))),
                        CELL);
    }
}
