package example.site;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.generic.GenericRecordBuilder;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.common.utils.Utils;

/**
 * Publishes a node with two GPUs, a class and a claim, and waits for the decision. Uses Kafka's and Avro's clients and
 * nothing of Claimstream.
 *
 * <p>{@code OutsideProducer BOOTSTRAP REGISTRY_URL [SERIALIZER DESERIALIZER]}, or {@code KAFKA_BOOTSTRAP} and
 * {@code SCHEMA_REGISTRY_URL} in the environment. The last two are classes for values, by default those of this
 * package. Exit code 0: allocated, 3: pending, 1: error.
 */
public final class OutsideProducer implements AutoCloseable {
    private static final String INVENTORY = "inventory.v1";
    private static final String CLAIMS = "claims.v1";
    private static final String DECISIONS = "decisions.v1";
    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    private final Map<String, Object> clients;
    private final String deserializer;
    private final RegistryClient schemas;
    private final KafkaProducer<String, GenericRecord> producer;

    // Each producer has a name of its own, and numbers that grow, also over its restarts.
    private final Map<String, Object> stamp =
            Map.of("source", "site-java", "epoch", 1L, "version", System.currentTimeMillis());

    private OutsideProducer(String bootstrap, String registry, String serializer, String deserializer) {
        // Claimstream registers the schemas. Use the latest version and register none.
        this.clients = Map.of(
                "bootstrap.servers", bootstrap,
                "schema.registry.url", registry,
                "auto.register.schemas", false,
                "use.latest.version", true);
        this.deserializer = deserializer;
        this.schemas = new RegistryClient(registry);
        this.producer = new KafkaProducer<>(with(Map.of(
                "acks", "all",
                "enable.idempotence", "true",
                "key.serializer", StringSerializer.class,
                "value.serializer", serializer)));
    }

    private Map<String, Object> with(Map<String, Object> more) {
        Map<String, Object> all = new HashMap<>(clients);
        all.putAll(more);
        return all;
    }

    public static void main(String[] args) {
        String bootstrap = args.length > 0 ? args[0] : System.getenv("KAFKA_BOOTSTRAP");
        String registry = args.length > 1 ? args[1] : System.getenv("SCHEMA_REGISTRY_URL");
        if (bootstrap == null || registry == null || args.length == 3 || args.length > 4) {
            System.err.println("usage: OutsideProducer BOOTSTRAP REGISTRY_URL [SERIALIZER DESERIALIZER]"
                    + " (or KAFKA_BOOTSTRAP, SCHEMA_REGISTRY_URL)");
            System.exit(1);
        }
        String serializer = args.length > 2 ? args[2] : WireSerializer.class.getName();
        String deserializer = args.length > 3 ? args[3] : WireDeserializer.class.getName();
        int code;
        try (var site = new OutsideProducer(bootstrap, registry, serializer, deserializer)) {
            site.publishNode();
            code = site.decision(site.publishClaim());
        }
        System.exit(code);
    }

    // ---- what there is, and what is wanted

    private void publishNode() {
        send(INVENTORY, List.of("Node", "java-node", "java-node"), Map.of("node", Map.of("meta", meta("", "java-node"))));
        send(
                INVENTORY,
                List.of("ResourceSlice", "java-node", "java-node-gpus"),
                Map.of(
                        "slice",
                        Map.of(
                                "meta", meta("", "java-node-gpus"),
                                "driver", "java.example.com",
                                "pool", "java-node",
                                "generation", 1L,
                                "resourceSliceCount", 1L,
                                "scope", Map.of("node", "java-node"),
                                "devices", List.of(gpu("gpu-0"), gpu("gpu-1")))));
        send(
                INVENTORY,
                List.of("DeviceClass", "", "java-gpu"),
                Map.of(
                        "deviceClass",
                        Map.of(
                                "meta", meta("", "java-gpu"),
                                "selectors", List.of("device.driver == \"java.example.com\""))));
    }

    private static Map<String, Object> gpu(String name) {
        return Map.of(
                "name", name,
                "attributes", Map.of("model", Map.of("stringValue", "example-80")),
                "capacity", Map.of("memory", Map.of("value", "80Gi")));
    }

    /** Returns the uid of the claim. */
    private String publishClaim() {
        Map<String, Object> meta = meta("outside", "java-claim");
        Map<String, Object> exactly = Map.of(
                "spec",
                Map.of(
                        "deviceClassName", "java-gpu",
                        "selectors",
                                List.of("device.capacity[\"java.example.com\"].memory.compareTo(quantity(\"40Gi\")) >= 0")));
        send(
                CLAIMS,
                List.of("ResourceClaim", "outside", "java-claim"),
                Map.of(
                        "claim",
                        Map.of(
                                "meta", meta,
                                "spec", Map.of("requests", List.of(Map.of("name", "gpu", "exactly", exactly))))));
        return (String) meta.get("uid");
    }

    private static Map<String, Object> meta(String namespace, String name) {
        return Map.of("namespace", namespace, "name", name, "uid", UUID.randomUUID().toString());
    }

    // ---- writing

    private void send(String topic, List<String> key, Map<String, Object> content){
        Map<String, Object> value = new HashMap<>(stamp);
        Map<?, ?> object = (Map<?, ?>) content.values().iterator().next();
        value.put("uid", ((Map<?, ?>) object.get("meta")).get("uid"));
        value.putAll(content);
        int partitions = producer.partitionsFor(topic).size();
        var datum = (GenericRecord) datum(schemas.latest(topic).schema(), value);
        producer.send(new ProducerRecord<>(topic, partition(key, partitions), text(key), datum));
    }

    private static String text(List<String> key) {
        return key.stream()
                .map(part -> part.replace("%", "%25").replace("/", "%2F"))
                .collect(Collectors.joining("/"));
    }

    /** The second part of the key decides the partition; if it is empty, the whole key does. */
    private static int partition(List<String> key, int partitions) {
        String deciding = key.get(1).isEmpty() ? text(key) : key.get(1);
        return Utils.toPositive(Utils.murmur2(deciding.getBytes(StandardCharsets.UTF_8))) % partitions;
    }

    // ---- reading

    /** Returns the exit code. */
    private int decision(String claimUid) {
        producer.flush();
        String last = "no decision: is the allocator running?";
        var settings = with(Map.of(
                "isolation.level", "read_committed",
                "key.deserializer", StringDeserializer.class,
                "value.deserializer", deserializer));
        try (var consumer = new KafkaConsumer<String, GenericRecord>(settings)) {
            List<TopicPartition> partitions = consumer.partitionsFor(DECISIONS).stream()
                    .map(each -> new TopicPartition(DECISIONS, each.partition()))
                    .toList();
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            long end = System.nanoTime() + TIMEOUT.toNanos();
            while (System.nanoTime() < end) {
                for (var record : consumer.poll(Duration.ofMillis(200))) {
                    if (!claimUid.equals(record.key()) || record.value() == null) {
                        continue;
                    }
                    last = describe(record.value());
                    System.out.println(last);
                    if (record.value().get("allocated") != null) {
                        return 0;
                    }
                }
            }
        }
        System.err.println("not allocated within " + TIMEOUT.toSeconds() + " s; last decision: " + last);
        return 3;
    }

    private static String describe(GenericRecord decision) {
        String claim = decision.get("namespace") + "/" + decision.get("name");
        if (decision.get("allocated") instanceof GenericRecord allocated) {
            GenericRecord allocation = (GenericRecord) allocated.get("allocation");
            String devices = ((List<?>) allocation.get("results"))
                    .stream()
                            .map(result -> (GenericRecord) ((GenericRecord) result).get("device"))
                            .map(id -> id.get("driver") + "/" + id.get("pool") + "/" + id.get("device"))
                            .collect(Collectors.joining(" "));
            return "allocated " + claim + " on " + allocated.get("node") + ": " + devices;
        }
        if (decision.get("pending") instanceof GenericRecord pending) {
            return "pending " + claim + ": " + pending.get("reason") + ", " + pending.get("message");
        }
        return "released " + claim;
    }

    @Override
    public void close() {
        producer.close();
    }

    /** Converts maps and lists to records and arrays; missing fields get their defaults. */
    private static Object datum(Schema schema, Object value) {
        return switch (schema.getType()) {
            case UNION -> datum(schema.getTypes().get(1), value); // every union is null and one type
            case RECORD -> {
                var record = new GenericRecordBuilder(schema);
                ((Map<?, ?>) value).forEach((name, part) -> {
                    Schema.Field field = schema.getField((String) name);
                    record.set(field, datum(field.schema(), part));
                });
                yield record.build();
            }
            case ARRAY ->
                ((List<?>) value).stream().map(each -> datum(schema.getElementType(), each)).toList();
            case MAP ->
                ((Map<?, ?>) value).entrySet().stream()
                        .collect(Collectors.toMap(Map.Entry::getKey, each -> datum(schema.getValueType(), each.getValue())));
            default -> value;
        };
    }
}
