package dev.claimstream.systemtests.failures;

import dev.claimstream.allocation.cell.Input;
import dev.claimstream.allocation.cell.Observation;
import dev.claimstream.allocation.cell.ObservedRow;
import dev.claimstream.allocation.cell.Row;
import dev.claimstream.allocation.router.RouterRow;
import dev.claimstream.dra.ClusterObject;
import dev.claimstream.dra.ResourceSlice;
import dev.claimstream.kafka.AvroSerde;
import dev.claimstream.kafka.ConsumerSettings;
import dev.claimstream.kafka.DecodeResult;
import dev.claimstream.kafka.KafkaConnection;
import dev.claimstream.kafka.Topics;
import dev.claimstream.kafka.ValueCompressor;
import dev.claimstream.kafka.registry.SchemaRegistry;
import dev.claimstream.schemas.CellInputRecord;
import dev.claimstream.schemas.ClaimsRecord;
import dev.claimstream.schemas.InventoryRecord;
import dev.claimstream.schemas.RouterStateRow;
import dev.claimstream.schemas.StateRow;
import dev.claimstream.wire.CellInputReader;
import dev.claimstream.wire.RouterRowCodec;
import dev.claimstream.wire.StateRowCodec;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.apache.avro.specific.SpecificRecord;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** Reads existing objects and their versions: from the public topics, and from the allocators' changelogs. */
final class ObjectStateReader {
    private static final String CELLS = "claimstream-allocator-cell-rows-changelog";
    private static final String ROUTER = "claimstream-allocator-router-rows-changelog";

    private final SchemaRegistry registry;

    ObjectStateReader(SchemaRegistry registry) {
        this.registry = registry;
    }

    /** Reads the objects from topics in which one source publishes and no record is repeated. */
    PublishedObjects published(KafkaConnection kafka) {
        Map<TopicPartition, PublishedObjectTracker> words = new HashMap<>();
        var inventory = AvroSerde.of(InventoryRecord.class, registry);
        var claims = AvroSerde.of(ClaimsRecord.class, registry);
        records(kafka, Topics.INVENTORY)
                .forEach(record -> value(inventory, Topics.INVENTORY, record.value())
                        .flatMap(each -> observation(input().setInventory(each)))
                        .ifPresent(each -> trackerOf(record, words).apply(each)));
        records(kafka, Topics.CLAIMS)
                .forEach(record -> value(claims, Topics.CLAIMS, record.value())
                        .flatMap(each -> observation(input().setClaims(each)))
                        .ifPresent(each -> trackerOf(record, words).apply(each)));
        SortedMap<String, ObservedRow.ObjectRow> standing = new TreeMap<>();
        words.values().forEach(each -> standing.putAll(each.existing()));
        return new PublishedObjects(
                standing,
                words.values().stream()
                        .mapToInt(PublishedObjectTracker::impliedDeletions)
                        .sum());
    }

    /**
     * The objects in the public topics.
     *
     * @param impliedDeletions number of objects that a list removed without a deletion record
     */
    record PublishedObjects(SortedMap<String, ObservedRow.ObjectRow> existing, int impliedDeletions) {}

    private static PublishedObjectTracker trackerOf(
            ConsumerRecord<?, ?> record, Map<TopicPartition, PublishedObjectTracker> words) {
        return words.computeIfAbsent(
                new TopicPartition(record.topic(), record.partition()), _ -> new PublishedObjectTracker());
    }

    /** Returns the keys of the objects in the simulated cluster, independently of the watcher. */
    SortedSet<String> clusterKeys(KafkaConnection kafka) {
        SortedSet<String> keys = new TreeSet<>();
        for (ConsumerRecord<byte[], byte[]> record : records(kafka, Topics.CLUSTER)) {
            String key = new String(record.key(), StandardCharsets.UTF_8);
            if (record.value() == null) {
                keys.remove("object/" + key);
            } else if (!key.startsWith("Cluster/")) {
                keys.add("object/" + key);
            }
        }
        return keys;
    }

    private static CellInputRecord.Builder input() {
        return CellInputRecord.newBuilder().setAt(Instant.EPOCH);
    }

    private static Optional<Observation> observation(CellInputRecord.Builder input) {
        return CellInputReader.from(0, input.build()).map(Input::observation);
    }

    /**
     * Reads the objects from the changelogs of the cells, and of the router if there are several cells.
     * All copies of an object must be equal, except that the router stores no devices.
     */
    SortedMap<String, ObservedRow.ObjectRow> stored(KafkaConnection kafka, int cells) {
        SortedMap<String, ObservedRow.ObjectRow> kept = new TreeMap<>();
        Stream<Row> rows = cells > 1 ? Stream.concat(cellRows(kafka), routerRows(kafka)) : cellRows(kafka);
        rows.forEach(row -> {
            if (row instanceof ObservedRow.ObjectRow object && object.content().isPresent()) {
                ObservedRow.ObjectRow other = kept.putIfAbsent(object.key(), object);
                if (other != null
                        && !other.equals(object)
                        && !withoutDevices(other).equals(object)) {
                    throw new AssertionError("it is known as %s and as %s".formatted(other, object));
                }
            }
        });
        return kept;
    }

    private static ObservedRow.ObjectRow withoutDevices(ObservedRow.ObjectRow row) {
        Optional<ClusterObject> content =
                row.content().map(object -> object instanceof ResourceSlice slice ? slice.withoutDevices() : object);
        return new ObservedRow.ObjectRow(row.kind(), row.object(), row.uid(), row.stamp(), content);
    }

    private Stream<Row> cellRows(KafkaConnection kafka) {
        var serde = AvroSerde.of(StateRow.class, registry);
        var packing = new ValueCompressor();
        return lastValues(kafka, CELLS, "object/")
                .flatMap(bytes -> value(serde, "cell-rows", packing.decompress(bytes)).stream())
                .map(StateRowCodec::from);
    }

    private Stream<Row> routerRows(KafkaConnection kafka) {
        var serde = AvroSerde.of(RouterStateRow.class, registry);
        return lastValues(kafka, ROUTER, "cluster-state/object/")
                .flatMap(bytes -> value(serde, "router-rows", bytes).stream())
                .flatMap(row -> RouterRowCodec.from(row) instanceof RouterRow.ClusterStateRow(Row world)
                        ? Stream.of(world)
                        : Stream.empty());
    }

    private static <T extends SpecificRecord> Optional<T> value(AvroSerde<T> serde, String subject, byte[] bytes) {
        return serde.read(subject, bytes) instanceof DecodeResult.Value<T>(T value)
                ? Optional.of(value)
                : Optional.empty();
    }

    /** Returns the last value of every key with this prefix that is not deleted. */
    private static Stream<byte[]> lastValues(KafkaConnection kafka, String changelog, String prefix) {
        Map<String, byte[]> last = new TreeMap<>();
        for (ConsumerRecord<byte[], byte[]> record : records(kafka, changelog)) {
            String key = new String(record.key(), StandardCharsets.UTF_8);
            String place = record.partition() + "/" + key;
            if (record.value() == null) {
                last.remove(place);
            } else if (key.startsWith(prefix)) {
                last.put(place, record.value());
            }
        }
        return last.values().stream();
    }

    private static List<ConsumerRecord<byte[], byte[]>> records(KafkaConnection kafka, String topic) {
        List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();
        try (var consumer = new KafkaConsumer<>(
                ConsumerSettings.of(kafka, "test").properties(),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer())) {
            List<TopicPartition> partitions = consumer.partitionsFor(topic).stream()
                    .map(each -> new TopicPartition(topic, each.partition()))
                    .toList();
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
            while (ends.entrySet().stream().anyMatch(end -> consumer.position(end.getKey()) < end.getValue())) {
                consumer.poll(Duration.ofMillis(100)).forEach(records::add);
            }
        }
        return records;
    }
}
