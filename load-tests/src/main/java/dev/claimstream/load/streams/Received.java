package dev.claimstream.load.streams;

import dev.claimstream.allocation.cell.Input;
import dev.claimstream.allocation.cell.Stamp;
import dev.claimstream.dra.ClusterObject;
import dev.claimstream.kafka.AvroSerde;
import dev.claimstream.kafka.Decoded;
import dev.claimstream.kafka.RecordSerde;
import dev.claimstream.kafka.Topics;
import dev.claimstream.kafka.registry.SchemaRegistry;
import dev.claimstream.schemas.CellInput;
import dev.claimstream.wire.Inputs;
import dev.claimstream.wire.Published;
import java.time.Instant;

/** Passes objects through the bytes of a record, as a cell receives them. They share nothing with the originals. */
public final class Received {
    private final RecordSerde<CellInput> serde = AvroSerde.of(CellInput.class, SchemaRegistry.inMemory());

    /** Returns the input that reports an object. */
    public Input seen(long offset, Instant at, Stamp stamp, ClusterObject object) {
        var input = CellInput.newBuilder().setAt(at);
        switch (Published.seen(stamp, object)) {
            case Published.Inventory(var key, var value) -> input.setInventory(value);
            case Published.Claims(var key, var value) -> input.setClaims(value);
        }
        return switch (serde.read(Topics.CELLS_IN, serde.write(Topics.CELLS_IN, input.build()))) {
            case Decoded.Value<CellInput>(CellInput read) ->
                Inputs.from(offset, read).orElseThrow();
            case Decoded.Tombstone<CellInput>() -> throw new IllegalStateException("an input is no tombstone");
            case Decoded.Bad<CellInput> bad -> throw new IllegalStateException(bad.message());
        };
    }
}
