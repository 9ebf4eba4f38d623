package dev.claimstream.allocator.streams;

import dev.claimstream.allocation.cell.Fact;
import dev.claimstream.allocation.cell.Row;
import dev.claimstream.allocation.cell.State;
import dev.claimstream.kafka.Decoded;
import dev.claimstream.kafka.Packing;
import dev.claimstream.kafka.RecordSerde;
import dev.claimstream.schemas.StateRow;
import dev.claimstream.wire.Rows;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.stream.Gatherers;
import java.util.stream.StreamSupport;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.state.KeyValueStore;

/** Stores the rows of a cell and the header of its state. */
final class CellRows {
    private static final String NOTE = "note";

    /** The subject of the schema of the rows. */
    static final String SUBJECT = "cell-rows";

    private static final int READ_TOGETHER = 256;

    /** Number of batches that are decoded concurrently, ahead of the batch that is applied. */
    private static final int READ_AHEAD = 2 * Runtime.getRuntime().availableProcessors();

    private final KeyValueStore<String, byte[]> store;
    private final RecordSerde<StateRow> serde;
    private final Packing packing = new Packing();
    private final boolean isHashed;
    private Optional<CarriedHash> hash = Optional.empty();

    /** @param isHashed whether {@link #hash} will be called, so that the hash is maintained incrementally */
    CellRows(KeyValueStore<String, byte[]> store, RecordSerde<StateRow> serde, boolean isHashed) {
        this.store = store;
        this.serde = serde;
        this.isHashed = isHashed;
    }

    /** The header of the state; empty if the store has no row at all. */
    Optional<Note> note() {
        return Optional.ofNullable(store.get(NOTE))
                .map(bytes -> Note.from(read(NOTE, bytes)))
                .or(() -> isEmpty()
                        ? Optional.empty()
                        : Optional.of(Note.from(StateRow.newBuilder().build())));
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
                    .filter(row -> !row.key.equals(NOTE))
                    .peek(row -> keys.add(row.key))
                    .gather(Gatherers.windowFixed(READ_TOGETHER))
                    .gather(Gatherers.mapConcurrent(READ_AHEAD, this::read))
                    .forEach(rows -> rows.forEach(row -> state.apply(new Fact.Put(row))));
        }
        hashOf(keys);
    }

    private List<Row> read(List<KeyValue<String, byte[]>> rows) {
        return rows.stream()
                .map(row -> Rows.from(read(row.key, unpacked(row.key, row.value))))
                .toList();
    }

    void put(Row row) {
        String key = row.key();
        touch(key);
        store.put(key, packing.pack(serde.write(SUBJECT, Rows.to(row))));
    }

    void drop(String key) {
        touch(key);
        store.delete(key);
    }

    void put(Note note) {
        store.put(NOTE, serde.write(SUBJECT, note.row()));
    }

    /** Deletes all rows, including rows that this program cannot decode. */
    void clear() {
        keys().forEach(store::delete);
        store.delete(NOTE);
        hashOf(List.of());
    }

    private List<String> keys() {
        List<String> keys = new ArrayList<>();
        try (var all = store.all()) {
            all.forEachRemaining(each -> keys.add(each.key));
        }
        keys.remove(NOTE);
        return keys;
    }

    private void hashOf(List<String> keys) {
        hash = isHashed ? Optional.of(new CarriedHash(keys, this::stored)) : Optional.empty();
    }

    /** The hash over all rows except the header. */
    ByteBuffer hash() {
        if (hash.isEmpty()) {
            hash = Optional.of(new CarriedHash(keys(), this::stored));
        }
        return hash.get().value();
    }

    /** Adds some of the initial rows to the hash; returns whether no row is left. */
    boolean hashSome(int some) {
        return hash.map(carried -> carried.goOn(some)).orElse(true);
    }

    private void touch(String key) {
        hash.ifPresent(carried -> carried.touch(key));
    }

    private Optional<byte[]> stored(String key) {
        return Optional.ofNullable(store.get(key)).map(bytes -> unpacked(key, bytes));
    }

    private byte[] unpacked(String key, byte[] bytes) {
        try {
            return packing.unpack(bytes);
        } catch (IllegalArgumentException e) {
            throw Discontinuity.unreadable(key, String.valueOf(e.getMessage()));
        }
    }

    private StateRow read(String key, byte[] bytes) {
        return switch (serde.read(SUBJECT, bytes)) {
            case Decoded.Value<StateRow>(StateRow row) -> row;
            case Decoded.Tombstone<StateRow>() -> throw new IllegalStateException("row %s is empty".formatted(key));
            case Decoded.Bad<StateRow> bad -> throw Discontinuity.unreadable(key, bad.message());
        };
    }
}
