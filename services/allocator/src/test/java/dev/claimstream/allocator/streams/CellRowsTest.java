package dev.claimstream.allocator.streams;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.claimstream.allocation.cell.ClaimRow;
import dev.claimstream.allocation.cell.Fact;
import dev.claimstream.allocation.cell.ObservedRow;
import dev.claimstream.allocation.cell.Row;
import dev.claimstream.allocation.cell.Stamp;
import dev.claimstream.allocation.cell.State;
import dev.claimstream.audit.streams.RowsHash;
import dev.claimstream.kafka.AvroSerde;
import dev.claimstream.kafka.registry.SchemaRegistry;
import dev.claimstream.schemas.StateRow;
import dev.claimstream.selectors.CelSelectors;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Properties;
import java.util.Random;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.generic.GenericRecordBuilder;
import org.apache.avro.io.EncoderFactory;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.processor.TaskId;
import org.apache.kafka.streams.processor.api.MockProcessorContext;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.Stores;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Rows of a cell that several threads read in parallel: restore, hash and damaged rows. */
final class CellRowsTest {
    private static final int MANY = 20_000;

    @TempDir
    private Path folder;

    private KeyValueStore<String, byte[]> store;
    private final SchemaRegistry registry = SchemaRegistry.inMemory();
    private CellRows rows;

    @BeforeEach
    void createStore() {
        var context = new MockProcessorContext<String, String>(new Properties(), new TaskId(0, 0), folder.toFile());
        store = Stores.keyValueStoreBuilder(
                        Stores.inMemoryKeyValueStore(AllocatorTopology.ROWS), Serdes.String(), Serdes.ByteArray())
                .withLoggingDisabled()
                .withCachingDisabled()
                .build();
        store.init(context.getStateStoreContext(), store);
        rows = reopen();
    }

    /** Opens the same store again, as after a restart. */
    private CellRows reopen() {
        return new CellRows(store, AvroSerde.of(StateRow.class, registry), true);
    }

    /** Row of this number. Rows with odd numbers are long enough to be compressed. */
    private static Row row(int number) {
        return number % 2 == 0
                ? new ObservedRow.NodeLivenessRow("node-" + number, new Stamp("agents", 1, number), number % 4 == 0)
                : new ClaimRow.RejectionRow("uid-" + number, "no such class, ".repeat(100) + number, number);
    }

    @Test
    void appliesAllRows() {
        var straight = new State(new CelSelectors());
        for (int i = 0; i < MANY; i++) {
            rows.put(row(i));
            straight.apply(new Fact.Put(row(i)));
        }
        rows.put(StateHeader.initial(StateFormat.CURRENT, "engine", "log"));

        var state = new State(new CelSelectors());
        rows.applyTo(state);
        assertThat(state.rows()).isEqualTo(straight.rows()).hasSize(MANY);
    }

    /** Rows change, appear, disappear and return while the hash advances in parts. */
    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void hashMatchesRowsAfterIncrementalChanges(long seed) {
        var random = new Random(seed);
        int count = 12_000;
        for (int i = 0; i < count; i += 2) {
            rows.put(row(i));
        }
        rows.put(StateHeader.initial(StateFormat.CURRENT, "engine", "log"));
        rows.applyTo(new State(new CelSelectors()));
        for (int i = 0; i < 3 * count; i++) {
            Row changed = row(random.nextInt(count));
            if (random.nextBoolean()) {
                rows.put(changed);
            } else {
                rows.delete(changed.key());
            }
            if (i % 2000 == 0) {
                rows.advanceHash(random.nextInt(count / 8));
            }
        }
        rows.advanceHash(random.nextInt(count));
        CellRows other = reopen();
        other.applyTo(new State(new CelSelectors()));
        assertThat(rows.hash()).as("seed %d", seed).isEqualTo(other.hash());
        rows.delete(row(random.nextInt(count)).key());
        rows.put(row(count + 1));
        assertThat(rows.hash()).isNotEqualTo(other.hash());

        rows.clear();
        assertThat(rows.hash()).isEqualTo(new RowsHash().value());
    }

    /** A rejection without a claim version ends with any change of its claim. */
    @Test
    void readsRowWrittenBeforeFieldWasAdded() throws IOException {
        Schema before = new Schema.Parser()
                .parse(StateRow.getClassSchema()
                        .toString()
                        .replaceAll(",\\{\"name\":\"claimVersion\",\"type\":\"long\",\"doc\":[^}]*\\}", ""));
        Schema rejection = before.getField("rejection").schema().getTypes().getLast();
        assertThat(rejection.getFields()).extracting(Schema.Field::name).containsExactly("claimUid", "message");
        GenericRecord rejected = new GenericRecordBuilder(rejection)
                .set("claimUid", "u")
                .set("message", "no")
                .build();
        GenericRecord row =
                new GenericRecordBuilder(before).set("rejection", rejected).build();
        var bytes = new ByteArrayOutputStream();
        bytes.writeBytes(ByteBuffer.allocate(5)
                .putInt(1, registry.register("before", before))
                .array());
        var encoder = EncoderFactory.get().binaryEncoder(bytes, null);
        new GenericDatumWriter<GenericRecord>(before).write(row, encoder);
        encoder.flush();
        store.put("rejection/u", bytes.toByteArray());

        var state = new State(new CelSelectors());
        rows.applyTo(state);
        assertThat(state.rows().values()).containsExactly(new ClaimRow.RejectionRow("u", "no", 0));
    }

    /** Before format 4 the header had another key. */
    @Test
    void headerUnderOtherKeyHasUnsupportedFormat() {
        assertThat(rows.header()).isEmpty();
        rows.put(StateHeader.initial(StateFormat.CURRENT, "engine", "log"));
        assertThat(rows.header()).map(StateHeader::format).contains(StateFormat.CURRENT.written());
        store.put("note", store.delete("header"));
        assertThat(rows.header())
                .map(StateHeader::format)
                .hasValueSatisfying(format -> assertThat(format).isLessThan(StateFormat.CURRENT.oldestRead()));
    }

    @Test
    void appliesNothingWithoutRows() {
        var state = new State(new CelSelectors());
        rows.applyTo(state);
        assertThat(state.rows()).isEmpty();
    }

    @Test
    void namesRowThatCannotBeDecoded() {
        for (int i = 0; i < MANY; i++) {
            rows.put(row(i));
        }
        store.put("node-liveness/node-7777", new byte[] {0, 0, 0, 0, 99, 1, 2});

        assertThatThrownBy(() -> rows.applyTo(new State(new CelSelectors())))
                .isInstanceOf(LogContinuityException.class)
                .hasMessageContaining("row node-liveness/node-7777 of the state cannot be read");
    }

    @Test
    void namesRowThatCannotBeDecompressed() {
        for (int i = 0; i < MANY; i++) {
            rows.put(row(i));
        }
        String key = row(7777).key();
        byte[] cut = Arrays.copyOf(store.get(key), 60);
        store.put(key, cut);

        assertThatThrownBy(() -> rows.applyTo(new State(new CelSelectors())))
                .isInstanceOf(LogContinuityException.class)
                .hasMessageContaining("row " + key + " of the state cannot be read: it ");
    }
}
