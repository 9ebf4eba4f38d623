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

/** The rows of a cell where they are kept, and what they say about themselves. */
final class CellRows {
    private static final String NOTE = "note";

    /** The name under which the rows' schema is registered. */
    static final String SUBJECT = "cell-rows";

    private static final int READ_TOGETHER = 256;

    /** So many times as many rows are read before they can be applied. */
    private static final int READ_AHEAD = 2 * Runtime.getRuntime().availableProcessors();

    private final KeyValueStore<String, byte[]> store;
    private final RecordSerde<StateRow> serde;
    private final Packing packing = new Packing();
    private final boolean isHashed;
    private Optional<CarriedHash> hash = Optional.empty();

    /** @param isHashed whether {@link #hash} will be asked for, so that it is carried along */
    CellRows(KeyValueStore<String, byte[]> store, RecordSerde<StateRow> serde, boolean isHashed) {
        this.store = store;
        this.serde = serde;
        this.isHashed = isHashed;
    }

    /** What the state says about itself; nothing where it has no row at all. */
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
     * Brings a state to where these rows are. To read them takes longer than to apply them: all processors read ahead, and what they have
     * read is applied in its order.
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

    /** Forgets all of them, also those that this program cannot read. */
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

    /** The hash over all rows but the note. */
    ByteBuffer hash() {
        if (hash.isEmpty()) {
            hash = Optional.of(new CarriedHash(keys(), this::stored));
        }
        return hash.get().value();
    }

    /** Looks at some of the rows that the hash has not taken in yet; whether there are no more. */
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
