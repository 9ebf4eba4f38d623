package example.site;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.generic.GenericRecordBuilder;
import org.apache.avro.io.DecoderFactory;
import org.apache.avro.io.EncoderFactory;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.common.utils.Utils;

/**
 * Publishes a node with two GPUs, a class and a claim, and waits for the decision. Uses Kafka's and Avro's clients and nothing of
 * Claimstream.
 *
 * <p>{@code PublishAndRead BOOTSTRAP REGISTRY_URL}, or {@code KAFKA_BOOTSTRAP} and {@code SCHEMA_REGISTRY_URL} in the environment. Exit
 * code 0: allocated, 3: pending, 1: error.
 */
public final class PublishAndRead implements AutoCloseable {
    private static final String INVENTORY = "inventory.v1";
    private static final String CLAIMS = "claims.v1";
    private static final String DECISIONS = "decisions.v1";
    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    private final String bootstrap;
    private final Registry registry;
    private final KafkaProducer<String, byte[]> producer;

    // Each producer has a name of its own, and numbers that grow, also over its restarts.
    private final Map<String, Object> stamp =
            Map.of("source", "site-java", "epoch", 1L, "version", System.currentTimeMillis());

    private PublishAndRead(String bootstrap, URI registry) {
        this.bootstrap = bootstrap;
        this.registry = new Registry(registry);
        this.producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", bootstrap, "acks", "all", "enable.idempotence", "true"),
                new StringSerializer(),
                new ByteArraySerializer());
    }

    public static void main(String[] args) throws IOException, InterruptedException {
        String bootstrap = args.length > 0 ? args[0] : System.getenv("KAFKA_BOOTSTRAP");
        String registry = args.length > 1 ? args[1] : System.getenv("SCHEMA_REGISTRY_URL");
        if (bootstrap == null || registry == null) {
            System.err.println("usage: PublishAndRead BOOTSTRAP REGISTRY_URL (or KAFKA_BOOTSTRAP, SCHEMA_REGISTRY_URL)");
            System.exit(1);
        }
        try (var site = new PublishAndRead(bootstrap, URI.create(registry))) {
            site.publishNode();
            System.exit(site.decision(site.publishClaim()));
        }
    }

    // ---- what there is, and what is wanted

    private void publishNode() throws IOException, InterruptedException {
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
    private String publishClaim() throws IOException, InterruptedException {
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

    private void send(String topic, List<String> key, Map<String, Object> content)
            throws IOException, InterruptedException {
        Map<String, Object> value = new HashMap<>(stamp);
        Map<?, ?> object = (Map<?, ?>) content.values().iterator().next();
        value.put("uid", ((Map<?, ?>) object.get("meta")).get("uid"));
        value.putAll(content);
        int partitions = producer.partitionsFor(topic).size();
        producer.send(new ProducerRecord<>(topic, partition(key, partitions), text(key), registry.write(topic, value)));
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
    private int decision(String claimUid) throws IOException, InterruptedException {
        producer.flush();
        String last = "no decision: is the allocator running?";
        try (var consumer = new KafkaConsumer<>(
                Map.of("bootstrap.servers", bootstrap, "isolation.level", "read_committed"),
                new StringDeserializer(),
                new ByteArrayDeserializer())) {
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
                    GenericRecord decision = registry.read(record.value());
                    last = describe(decision);
                    System.out.println(last);
                    if (decision.get("allocated") != null) {
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

    // ---- schemas

    /** Values in Confluent's wire format: a zero byte, the schema's id, Avro's binary encoding. */
    private static final class Registry {
        private final URI url;
        private final HttpClient http = HttpClient.newHttpClient();
        private final ObjectMapper json = new ObjectMapper();
        private final Map<String, JsonNode> latest = new HashMap<>();
        private final Map<Integer, Schema> byId = new HashMap<>();

        Registry(URI url) {
            this.url = url;
        }

        byte[] write(String topic, Map<String, Object> value) throws IOException, InterruptedException {
            if (!latest.containsKey(topic)) {
                latest.put(topic, get("/subjects/" + topic + "-value/versions/latest"));
            }
            int id = latest.get(topic).get("id").asInt();
            Schema schema = schema(id);
            var bytes = new ByteArrayOutputStream();
            bytes.write(ByteBuffer.allocate(5).put((byte) 0).putInt(id).array());
            var encoder = EncoderFactory.get().binaryEncoder(bytes, null);
            new GenericDatumWriter<>(schema).write(datum(schema, value), encoder);
            encoder.flush();
            return bytes.toByteArray();
        }

        GenericRecord read(byte[] bytes) throws IOException, InterruptedException {
            Schema schema = schema(ByteBuffer.wrap(bytes).getInt(1));
            var decoder = DecoderFactory.get().binaryDecoder(bytes, 5, bytes.length - 5, null);
            return new GenericDatumReader<GenericRecord>(schema).read(null, decoder);
        }

        private Schema schema(int id) throws IOException, InterruptedException {
            if (!byId.containsKey(id)) {
                byId.put(id, new Schema.Parser().parse(get("/schemas/ids/" + id).get("schema").asText()));
            }
            return byId.get(id);
        }

        private JsonNode get(String path) throws IOException, InterruptedException {
            var response = http.send(HttpRequest.newBuilder(url.resolve(path)).build(), BodyHandlers.ofString());
            if (response.statusCode() != 200) {
                throw new IOException("registry " + url + path + ": " + response.statusCode() + " " + response.body());
            }
            return json.readTree(response.body());
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
}
