package dev.claimstream.load.streams;

import dev.claimstream.allocation.cell.Input;
import dev.claimstream.allocation.cell.Stamp;
import dev.claimstream.dra.ClusterObject;
import dev.claimstream.kafka.AvroSerde;
import dev.claimstream.kafka.DecodeResult;
import dev.claimstream.kafka.RecordSerde;
import dev.claimstream.kafka.Topics;
import dev.claimstream.kafka.registry.SchemaRegistry;
import dev.claimstream.schemas.CellInputRecord;
import dev.claimstream.wire.CellInputReader;
import dev.claimstream.wire.PublicRecord;
import java.time.Instant;

/** Passes objects through the bytes of a record, as a cell receives them. They share nothing with the originals. */
public final class InputRoundTrip {
    private final RecordSerde<CellInputRecord> serde = AvroSerde.of(CellInputRecord.class, SchemaRegistry.inMemory());

    /** Returns the input that reports an object. */
    public Input upserted(long offset, Instant at, Stamp stamp, ClusterObject object) {
        var input = CellInputRecord.newBuilder().setAt(at);
        switch (PublicRecord.upsert(stamp, object)) {
            case PublicRecord.InventoryTopicRecord(var key, var value) -> input.setInventory(value);
            case PublicRecord.ClaimsTopicRecord(var key, var value) -> input.setClaims(value);
        }
        return switch (serde.read(Topics.CELLS_IN, serde.write(Topics.CELLS_IN, input.build()))) {
            case DecodeResult.Value<CellInputRecord>(CellInputRecord read) ->
                CellInputReader.from(offset, read).orElseThrow();
            case DecodeResult.Tombstone<CellInputRecord>() ->
                throw new IllegalStateException("an input is no tombstone");
            case DecodeResult.Failure<CellInputRecord> bad -> throw new IllegalStateException(bad.message());
        };
    }
}
