package dev.claimstream.allocator.streams;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.claimstream.kafka.AvroSerde;
import dev.claimstream.kafka.RecordSerde;
import dev.claimstream.kafka.Topics;
import dev.claimstream.kafka.ValueCompressor;
import dev.claimstream.kafka.registry.SchemaRegistry;
import dev.claimstream.schemas.CellInputRecord;
import dev.claimstream.schemas.LedgerEvent;
import dev.claimstream.schemas.StateRow;
import java.io.File;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Properties;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.avro.specific.SpecificRecord;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.processor.TaskId;
import org.apache.kafka.streams.processor.api.MockProcessorContext;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.Stores;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.slf4j.LoggerFactory;

/** A cell processor that stops after each input and restores from its rows has the outputs of one that never stops. */
final class CellProcessorTest {
    private static final String ENGINE = "engine";
    private static final List<CellInputRecord> INPUTS = new ClusterInputs()
            .withSliceSource()
            .withDevices(3)
            .claim("first", 1)
            .claim("second", 3)
            .claim("third", 1)
            .deleteClaim("first")
            .probe("p")
            .deleteClaim("third")
            .claim("fourth", 1)
            .inputs();

    private final SchemaRegistry registry = SchemaRegistry.inMemory();

    static IntStream cuts() {
        return IntStream.rangeClosed(0, INPUTS.size());
    }

    @ParameterizedTest(name = "after {0} inputs")
    @MethodSource("cuts")
    void restoredCellContinuesWithSameOutputs(int cut, @TempDir Path folder) {
        var straight = new CellHost(folder.toFile(), new TreeMap<>());
        straight.feed(0, INPUTS.size());

        var before = new CellHost(folder.toFile(), new TreeMap<>());
        before.feed(0, cut);
        var after = new CellHost(folder.toFile(), before.rows());
        after.feed(cut, INPUTS.size());

        int said = before.outputs().size();
        assertThat(before.outputs()).isEqualTo(straight.outputs().subList(0, said));
        assertThat(after.outputs())
                .isEqualTo(straight.outputs().subList(said, straight.outputs().size()));
        assertThat(after.rows()).isEqualTo(straight.rows());
        LedgerVerifier.verifyLinks(straight.events());
    }

    /** Rows of the previous format are not compressed. */
    @ParameterizedTest(name = "after {0} inputs")
    @MethodSource("cuts")
    void readsUncompressedRowsWithSameHashes(int cut, @TempDir Path folder) {
        var straight = new CellHost(folder.toFile(), new TreeMap<>());
        straight.feed(0, INPUTS.size());
        var before = new CellHost(folder.toFile(), new TreeMap<>());
        before.feed(0, cut);
        var after = new CellHost(folder.toFile(), decompress(before.rows()));
        after.feed(cut, INPUTS.size());

        assertThat(straight.rows()).isNotEqualTo(decompress(straight.rows()));
        assertThat(decompress(after.rows())).isEqualTo(decompress(straight.rows()));
        assertThat(after.snapshots())
                .isEqualTo(straight.snapshots()
                        .subList(before.snapshots().size(), straight.snapshots().size()));
    }

    private static SortedMap<String, String> decompress(SortedMap<String, String> rows) {
        var packing = new ValueCompressor();
        var unpacked = new TreeMap<String, String>();
        rows.forEach((key, hex) -> unpacked.put(
                key, HexFormat.of().formatHex(packing.decompress(HexFormat.of().parseHex(hex)))));
        return unpacked;
    }

    /** A replay of the log from its beginning can compare these hashes. */
    @ParameterizedTest(name = "after {0} inputs")
    @MethodSource("cuts")
    void replayYieldsHashesOfSnapshots(int cut, @TempDir Path folder) {
        var straight = new CellHost(folder.toFile(), new TreeMap<>());
        straight.feed(0, INPUTS.size());
        var before = new CellHost(folder.toFile(), new TreeMap<>());
        before.feed(0, cut);
        var after = new CellHost(folder.toFile(), before.rows());
        after.feed(cut, INPUTS.size());

        var hashes = new ArrayList<>(before.snapshots());
        hashes.addAll(after.snapshots());
        assertThat(hashes).isEqualTo(straight.snapshots()).hasSizeGreaterThan(2).doesNotHaveDuplicates();
    }

    /** Inputs arrive at least once: inputs that repeat after a restart have no output. */
    @ParameterizedTest(name = "after {0} inputs")
    @MethodSource("cuts")
    void ignoresInputsThatRepeatAfterRestart(int cut, @TempDir Path folder) {
        var before = new CellHost(folder.toFile(), new TreeMap<>());
        before.feed(0, cut);
        var after = new CellHost(folder.toFile(), before.rows());
        after.feed(0, cut);
        assertThat(after.outputs()).isEmpty();
        assertThat(after.rows()).isEqualTo(before.rows());
    }

    static IntStream cutsBetween() {
        return IntStream.range(1, INPUTS.size());
    }

    /** The engine changes in the middle of a backlog. Later settings that name the new engine do not determine it. */
    @ParameterizedTest(name = "after {0} inputs")
    @MethodSource("cutsBetween")
    void newEngineContinuesUnderItsOwnFingerprint(int cut, @TempDir Path folder) {
        var straight = new CellHost(folder.toFile(), new TreeMap<>());
        straight.feed(0, INPUTS.size());
        var before = new CellHost(folder.toFile(), new TreeMap<>());
        before.feed(0, cut);
        var lines = new ListAppender<ILoggingEvent>();
        var after = startWithLogCapture(lines, () -> new CellHost(folder.toFile(), before.rows(), "another engine"));
        after.feed(cut, INPUTS.size());

        assertThat(lines.list).singleElement().satisfies(line -> {
            assertThat(line.getMessage()).startsWith("another engine version continues the cell");
            assertThat(line.getKeyValuePairs())
                    .extracting(pair -> pair.key + "=" + pair.value)
                    .containsExactly("cell=0", "before=" + ENGINE, "now=another engine");
        });
        assertThat(before.events()).allMatch(each -> each.getEngine().equals(ENGINE));
        assertThat(after.events())
                .isNotEmpty()
                .allMatch(each -> each.getEngine().equals("another engine"));
        assertThat(before.header().map(StateHeader::engine)).contains(ENGINE);
        assertThat(after.header().map(StateHeader::engine)).contains("another engine");
        var both =
                Stream.concat(before.events().stream(), after.events().stream()).toList();
        LedgerVerifier.verifyLinks(both);
        assertThat(both.stream().map(LedgerEvent::getDecision))
                .containsExactlyElementsOf(
                        straight.events().stream().map(LedgerEvent::getDecision).toList());
    }

    /** Starts a processor and captures the log events of {@link CellProcessor} meanwhile. */
    private static CellHost startWithLogCapture(ListAppender<ILoggingEvent> lines, Supplier<CellHost> starting) {
        var logger = (Logger) LoggerFactory.getLogger(CellProcessor.class);
        Optional<Level> level = Optional.ofNullable(logger.getLevel());
        lines.start();
        logger.setLevel(Level.INFO);
        logger.setAdditive(false);
        logger.addAppender(lines);
        try {
            return starting.get();
        } finally {
            logger.detachAppender(lines);
            logger.setAdditive(true);
            logger.setLevel(level.orElse(null));
        }
    }

    /** A cell processor on a store that holds rows already. */
    private final class CellHost {
        private final MockProcessorContext<String, SpecificRecord> context;
        private final KeyValueStore<String, byte[]> store;
        private final RecordSerde<StateRow> serde = AvroSerde.of(StateRow.class, registry);
        private final CellProcessor processor;

        CellHost(File folder, SortedMap<String, String> found) {
            this(folder, found, ENGINE);
        }

        CellHost(File folder, SortedMap<String, String> found, String engine) {
            processor = new CellProcessor(
                    IntactCellLog.environment(2, engine), new CommitScheduler(InstantSource.system()), serde);
            context = new MockProcessorContext<>(new Properties(), new TaskId(0, 0), folder);
            store = Stores.keyValueStoreBuilder(
                            Stores.inMemoryKeyValueStore(AllocatorTopology.ROWS), Serdes.String(), Serdes.ByteArray())
                    .withLoggingDisabled()
                    .withCachingDisabled()
                    .build();
            store.init(context.getStateStoreContext(), store);
            found.forEach((key, hex) -> store.put(key, HexFormat.of().parseHex(hex)));
            processor.init(context);
        }

        void feed(int from, int to) {
            for (int offset = from; offset < to; offset++) {
                context.setRecordMetadata(Topics.CELLS_IN, 0, offset);
                processor.process(new Record<>("", INPUTS.get(offset), offset));
            }
        }

        List<Record<? extends String, ? extends SpecificRecord>> outputs() {
            return context.forwarded().stream()
                    .<Record<? extends String, ? extends SpecificRecord>>map(
                            each -> Objects.requireNonNull(each).record())
                    .toList();
        }

        List<LedgerEvent> events() {
            return outputs().stream()
                    .map(Record::value)
                    .filter(LedgerEvent.class::isInstance)
                    .map(LedgerEvent.class::cast)
                    .toList();
        }

        List<ByteBuffer> snapshots() {
            return events().stream()
                    .flatMap(event -> event.getStateHash().stream())
                    .toList();
        }

        /** Header of the stored rows. */
        Optional<StateHeader> header() {
            return new CellRows(store, serde, false).header();
        }

        SortedMap<String, String> rows() {
            var rows = new TreeMap<String, String>();
            try (var all = store.all()) {
                all.forEachRemaining(each -> rows.put(each.key, HexFormat.of().formatHex(each.value)));
            }
            return rows;
        }
    }
}
