package dev.claimstream.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.apache.avro.specific.SpecificRecord;
import org.apache.kafka.common.Cluster;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.utils.Utils;
import org.junit.jupiter.api.Test;

/** The topics of the contracts: names, values, configuration and partitions of keys. */
class TopicsTest {
    private static final Topics TOPICS = Topics.shipped();

    @Test
    void constantsMatchTopicsOfContracts() {
        List<String> names = Arrays.stream(Topics.class.getDeclaredFields())
                .filter(field -> Modifier.isPublic(field.getModifiers()) && field.getType() == String.class)
                .map(field -> String.valueOf(get(field)))
                .toList();
        assertThat(names)
                .containsExactlyInAnyOrderElementsOf(
                        TOPICS.withChangelogs().byName().keySet());
    }

    @Test
    void everyValueIsAvroRecord() {
        assertThat(TOPICS.all())
                .extracting(Topic::value)
                .allSatisfy(value ->
                        value.ifPresent(name -> assertThat(classOf(name)).isAssignableTo(SpecificRecord.class)));
        assertThat(TOPICS.get(Topics.INVENTORY).subject()).isEqualTo("inventory.v1-value");
    }

    @Test
    void cellsInIsNotCompactedAndLedgerIsRetained() {
        assertThat(TOPICS.get(Topics.CELLS_IN).config()).containsEntry("cleanup.policy", "delete");
        assertThat(TOPICS.get(Topics.LEDGER).config())
                .containsEntry("cleanup.policy", "delete")
                .containsEntry("retention.ms", "34560000000");
        assertThat(TOPICS.get(Topics.CLAIMS).config())
                .containsEntry("cleanup.policy", "compact")
                .containsEntry("delete.retention.ms", "604800000")
                .doesNotContainKey("retention.ms");
    }

    @Test
    void sliceAndNodeShareOnePartition() {
        Topic inventory = TOPICS.get(Topics.INVENTORY);
        int node =
                inventory.partitionOf(RecordKey.of("Node", "node-7", "node-7").text(), 64);
        int slice = inventory.partitionOf(
                RecordKey.of("ResourceSlice", "node-7", "a").text(), 64);
        assertThat(slice).isEqualTo(node);
        assertThat(node).isEqualTo(Utils.toPositive(Utils.murmur2("node-7".getBytes(StandardCharsets.UTF_8))) % 64);
    }

    @Test
    void hashesWholeKeyWithoutPartitionPart() {
        String key = RecordKey.of("DeviceClass", "", "gpu").text();
        assertThat(TOPICS.get(Topics.INVENTORY).partitionOf(key, 64))
                .isEqualTo(Utils.toPositive(Utils.murmur2(key.getBytes(StandardCharsets.UTF_8))) % 64);
    }

    @Test
    void rejectsKeyWithWrongParts() {
        assertThatThrownBy(() -> TOPICS.get(Topics.CLAIMS).partitionOf("ResourceClaim/ns", 4))
                .hasMessage("topic claims.v1: key ResourceClaim/ns does not have the parts kind/namespace/name");
    }

    @Test
    void rejectsPartitionOfWriterChosenTopic() {
        assertThatThrownBy(() -> TOPICS.get(Topics.LEDGER).partitionOf("0", 4)).hasMessageContaining("ledger.v1");
    }

    @Test
    void producerAndStreamChooseSamePartition() {
        String key = RecordKey.of("ResourceClaim", "team-a", "train").text();
        int wanted = TOPICS.get(Topics.CLAIMS).partitionOf(key, 8);
        byte[] bytes = key.getBytes(StandardCharsets.UTF_8);
        try (var partitioner = new KeyPartitioner()) {
            assertThat(partitioner.partition(Topics.CLAIMS, key, bytes, null, null, cluster(Topics.CLAIMS, 8)))
                    .isEqualTo(wanted);
        }
        var streams = KeyPartitioner.<Object, Object>forStreams();
        assertThat(streams.partitions(Topics.CLAIMS, key, "", 8)).contains(Set.of(wanted));
        assertThat(streams.partitions(Topics.CLAIMS, bytes, "", 8)).contains(Set.of(wanted));
    }

    @Test
    void cellCountIsConfigurable() {
        Topics four = TOPICS.withPartitions(Map.of(Topics.CELLS_IN, 4));
        assertThat(four.get(Topics.CELLS_IN).partitions()).isEqualTo(4);
        assertThat(four.get(Topics.CLAIMS)).isEqualTo(TOPICS.get(Topics.CLAIMS));
    }

    @Test
    void namesMistakeInTopicsFile() {
        assertMistake("a.v1: {holds: x}", "topics.yaml: a.v1: key is missing");
        assertMistake("a.v1: {colour: red}", "topics.yaml: a.v1: unknown field colour");
        assertMistake(
                "a.v1: {holds: x, key: a/b, partition-by: [c], partitions: 1, cleanup: delete, retention: PT1H, writers: [], readers: []}",
                "topic a.v1: partition-by names c, which is not a part of its key a/b");
        assertMistake(
                "a.v1: {holds: x, key: a, partition-by: [], partitions: 1, cleanup: both, retention: PT1H, writers: [], readers: []}",
                "topics.yaml: a.v1: cleanup is both, which is neither compact nor delete");
    }

    private static void assertMistake(String yaml, String message) {
        var in = new ByteArrayInputStream(yaml.getBytes(StandardCharsets.UTF_8));
        assertThatThrownBy(() -> TopicsYaml.read(in)).hasMessage(message);
    }

    private static Cluster cluster(String topic, int partitions) {
        var node = new Node(1, "localhost", 1);
        var infos = IntStream.range(0, partitions)
                .mapToObj(i -> new PartitionInfo(topic, i, node, new Node[] {node}, new Node[] {node}))
                .toList();
        return new Cluster("c", List.of(node), infos, Set.of(), Set.of());
    }

    private static Object get(Field field) {
        try {
            return Optional.ofNullable(field.get(null)).orElseThrow();
        } catch (IllegalAccessException e) {
            throw new AssertionError(e);
        }
    }

    private static Class<?> classOf(String name) {
        try {
            return Class.forName(name);
        } catch (ClassNotFoundException e) {
            throw new AssertionError("topics.yaml names a value that is no record: " + name, e);
        }
    }
}
