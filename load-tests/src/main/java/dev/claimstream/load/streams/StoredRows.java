package dev.claimstream.load.streams;

import dev.claimstream.allocation.cell.Fact;
import dev.claimstream.allocation.cell.Row;
import dev.claimstream.kafka.AvroSerde;
import dev.claimstream.kafka.ValueCompressor;
import dev.claimstream.kafka.registry.SchemaRegistry;
import dev.claimstream.schemas.StateRow;
import dev.claimstream.wire.StateRowCodec;
import java.nio.charset.StandardCharsets;
import java.util.SortedMap;
import java.util.TreeMap;
import org.apache.kafka.common.utils.Bytes;

/** The rows of a cell as its state store keeps them in memory, in addition to the cell's own state. */
public final class StoredRows {
    private static final String SUBJECT = "cell-rows";

    private final AvroSerde<StateRow> serde = AvroSerde.of(StateRow.class, SchemaRegistry.inMemory());
    private final ValueCompressor packing = new ValueCompressor();
    private final SortedMap<Bytes, byte[]> rows = new TreeMap<>();

    /** Applies a change. */
    public void apply(Fact fact) {
        switch (fact) {
            case Fact.Put(Row row) ->
                rows.put(key(row.key()), packing.compress(serde.write(SUBJECT, StateRowCodec.to(row))));
            case Fact.Drop(String key) -> rows.remove(key(key));
        }
    }

    private static Bytes key(String text) {
        return Bytes.wrap(text.getBytes(StandardCharsets.UTF_8));
    }

    /** Returns the number of rows. */
    public int size() {
        return rows.size();
    }
}
