package dev.claimstream.allocator.streams;

import dev.claimstream.allocation.cell.Fact;
import dev.claimstream.allocation.cell.Row;
import dev.claimstream.allocation.cell.State;
import dev.claimstream.kafka.DecodeResult;
import dev.claimstream.kafka.RecordSerde;
import dev.claimstream.kafka.ValueCompressor;
import dev.claimstream.kafka.contracts.SubjectSchemas;
import dev.claimstream.schemas.StateRow;
import dev.claimstream.wire.StateRowCodec;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.stream.Gatherers;
import java.util.stream.StreamSupport;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.state.KeyValueStore;

/** Stores the rows of a cell and the header of its state. */
final class CellRows {
    private static final String HEADER_KEY = "header";

    static final String SUBJECT = SubjectSchemas.CELL_ROWS;

    private static final int BATCH_ROWS = 256;

    /** Number of batches that are decoded concurrently, ahead of the batch that is applied. */
    private static final int READ_AHEAD = 2 * Runtime.getRuntime().availableProcessors();

    private final KeyValueStore<String, byte[]> store;
    private final RecordSerde<StateRow> serde;
    private final ValueCompressor packing = new ValueCompressor();
    private final boolean isHashed;
    private Optional<IncrementalHash> hash = Optional.empty();

    /** @param isHashed whether {@link #hash} will be called, so that the hash is maintained incrementally */
    CellRows(KeyValueStore<String, byte[]> store, RecordSerde<StateRow> serde, boolean isHashed) {
        this.store = store;
        this.serde = serde;
        this.isHashed = isHashed;
    }

    /** Returns whether a record of the changelog is a header. */
    static boolean isHeader(ConsumerRecord<byte[], byte[]> record) {
        return record.value() != null && new String(record.key(), StandardCharsets.UTF_8).equals(HEADER_KEY);
    }

    /** The header of the state; empty if the store has no row at all. */
    Optional<StateHeader> header() {
        return Optional.ofNullable(store.get(HEADER_KEY))
                .map(bytes -> StateHeader.from(read(HEADER_KEY, bytes)))
                .or(() -> isEmpty()
                        ? Optional.empty()
                        : Optional.of(StateHeader.from(StateRow.newBuilder().build())));
    }

    private boolean isEmpty() {
        try (var all = store.all()) {
            return !all.hasNext();
        }
    }

    /**
     * Applies all rows to a state. Decoding takes longer than applying: rows are decoded concurrently and applied in the order of the
     * store.
     */
    void applyTo(State state) {
        List<String> keys = new ArrayList<>();
        try (var all = store.all()) {
            Spliterator<KeyValue<String, byte[]>> ordered =
                    Spliterators.spliteratorUnknownSize(all, Spliterator.ORDERED);
            StreamSupport.stream(ordered, false)
                    .filter(row -> !row.key.equals(HEADER_KEY))
                    .peek(row -> keys.add(row.key))
                    .gather(Gatherers.windowFixed(BATCH_ROWS))
                    .gather(Gatherers.mapConcurrent(READ_AHEAD, this::read))
                    .forEach(rows -> rows.forEach(row -> state.apply(new Fact.Put(row))));
        }
        resetHash(keys);
    }

    private List<Row> read(List<KeyValue<String, byte[]>> rows) {
        return rows.stream()
                .map(row -> StateRowCodec.from(read(row.key, unpacked(row.key, row.value))))
                .toList();
    }

    void put(Row row) {
        String key = row.key();
        touch(key);
        store.put(key, packing.compress(serde.write(SUBJECT, StateRowCodec.to(row))));
    }

    void delete(String key) {
        touch(key);
        store.delete(key);
    }

    void put(StateHeader header) {
        store.put(HEADER_KEY, serde.write(SUBJECT, header.row()));
    }

    /** Deletes all rows, including rows that this program cannot decode. */
    void clear() {
        keys().forEach(store::delete);
        store.delete(HEADER_KEY);
        resetHash(List.of());
    }

    private List<String> keys() {
        List<String> keys = new ArrayList<>();
        try (var all = store.all()) {
            all.forEachRemaining(each -> keys.add(each.key));
        }
        keys.remove(HEADER_KEY);
        return keys;
    }

    private void resetHash(List<String> keys) {
        hash = isHashed ? Optional.of(new IncrementalHash(keys, this::stored)) : Optional.empty();
    }

    /** The hash over all rows except the header. */
    ByteBuffer hash() {
        if (hash.isEmpty()) {
            hash = Optional.of(new IncrementalHash(keys(), this::stored));
        }
        return hash.get().value();
    }

    /** Adds some of the initial rows to the hash; returns whether no row is left. */
    boolean advanceHash(int some) {
        return hash.map(incremental -> incremental.advance(some)).orElse(true);
    }

    private void touch(String key) {
        hash.ifPresent(incremental -> incremental.touch(key));
    }

    private Optional<byte[]> stored(String key) {
        return Optional.ofNullable(store.get(key)).map(bytes -> unpacked(key, bytes));
    }

    private byte[] unpacked(String key, byte[] bytes) {
        try {
            return packing.decompress(bytes);
        } catch (IllegalArgumentException e) {
            throw LogContinuityException.unreadable(key, String.valueOf(e.getMessage()));
        }
    }

    private StateRow read(String key, byte[] bytes) {
        return switch (serde.read(SUBJECT, bytes)) {
            case DecodeResult.Value<StateRow>(StateRow row) -> row;
            case DecodeResult.Tombstone<StateRow>() ->
                throw new IllegalStateException("row %s is empty".formatted(key));
            case DecodeResult.Failure<StateRow> failure ->
                throw LogContinuityException.unreadable(key, failure.message());
        };
    }
}
