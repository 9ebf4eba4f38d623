package dev.claimstream.kafka.registry;

import com.fasterxml.jackson.databind.JsonNode;
import dev.claimstream.kafka.ConsumerSettings;
import dev.claimstream.kafka.KafkaConnection;
import dev.claimstream.kafka.ProducerSettings;
import dev.claimstream.kafka.RecordKey;
import dev.claimstream.kafka.Topics;
import dev.claimstream.kafka.registry.CatalogEntry.LevelChange;
import dev.claimstream.kafka.registry.CatalogEntry.SchemaRegistration;
import dev.claimstream.kafka.registry.RegistryException.RegistryErrorCode;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.jspecify.annotations.Nullable;

/** The journal of the schema catalog: a compacted topic with one JSON record per change and a single writer. */
final class CatalogTopic implements AutoCloseable {
    private static final TopicPartition JOURNAL = new TopicPartition(Topics.SCHEMAS, 0);
    private static final Duration POLL = Duration.ofMillis(100);
    private static final String SCHEMA = "schema";
    private static final String LEVEL = "level";

    private final KafkaConnection connection;
    private @Nullable KafkaProducer<String, String> producer;

    CatalogTopic(KafkaConnection connection) {
        this.connection = connection;
    }

    /** Passes all changes to a consumer, in order. */
    void replay(Consumer<CatalogEntry> into) {
        Properties settings = ConsumerSettings.of(connection, "schema-registry").properties();
        settings.put("fetch.max.wait.ms", "10"); // closing a consumer waits for its open fetch
        try (var consumer = new KafkaConsumer<>(settings, new StringDeserializer(), new StringDeserializer())) {
            consumer.assign(List.of(JOURNAL));
            consumer.seekToBeginning(List.of(JOURNAL));
            long end = consumer.endOffsets(List.of(JOURNAL)).getOrDefault(JOURNAL, 0L);
            while (consumer.position(JOURNAL) < end) {
                for (ConsumerRecord<String, String> each : consumer.poll(POLL).records(JOURNAL)) {
                    into.accept(read(each));
                }
            }
        }
    }

    /**
     * Writes a change and waits for the acknowledgement.
     *
     * @throws RegistryException {@code FAILED}, if the broker does not accept it
     */
    void append(CatalogEntry entry) {
        try {
            var unused = producer()
                    .send(new ProducerRecord<>(JOURNAL.topic(), JOURNAL.partition(), key(entry), value(entry)))
                    .get();
        } catch (ExecutionException e) {
            throw new RegistryException(
                    RegistryErrorCode.FAILED, "topic %s did not accept a change".formatted(JOURNAL.topic()), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new RegistryException(
                    RegistryErrorCode.FAILED, "interrupted while writing to topic %s".formatted(JOURNAL.topic()), e);
        }
    }

    /** Created at the first write: a start with known schemas writes nothing. */
    private synchronized KafkaProducer<String, String> producer() {
        if (producer == null) {
            producer = new KafkaProducer<>(
                    ProducerSettings.of(connection, "schema-registry").properties(),
                    new StringSerializer(),
                    new StringSerializer());
        }
        return producer;
    }

    @Override
    public synchronized void close() {
        if (producer != null) {
            producer.close(Duration.ofSeconds(5));
        }
    }

    private static String key(CatalogEntry entry) {
        return switch (entry) {
            case SchemaRegistration(String subject, int version, int id, String schema) ->
                RecordKey.of(SCHEMA, subject, Integer.toString(version)).text();
            case LevelChange(Optional<String> subject, CompatibilityLevel level) ->
                RecordKey.of(LEVEL, subject.orElse(""), "").text();
        };
    }

    private static String value(CatalogEntry entry) {
        Map<String, Object> fields = switch (entry) {
            case SchemaRegistration(String subject, int version, int id, String schema) ->
                Map.of("subject", subject, "version", version, "id", id, SCHEMA, schema);
            case LevelChange(Optional<String> subject, CompatibilityLevel level) ->
                Map.of("subject", subject.orElse(""), LEVEL, level.name());
        };
        return RegistryJson.write(fields);
    }

    private static CatalogEntry read(ConsumerRecord<String, String> entry) {
        try {
            JsonNode fields = RegistryJson.parse(entry.value());
            String subject = fields.required("subject").asText();
            if (fields.has(LEVEL)) {
                return new LevelChange(
                        Optional.of(subject).filter(name -> !name.isEmpty()),
                        CompatibilityLevel.valueOf(fields.get(LEVEL).asText()));
            }
            return new SchemaRegistration(
                    subject,
                    fields.required("version").asInt(),
                    fields.required("id").asInt(),
                    fields.required(SCHEMA).asText());
        } catch (UncheckedIOException | IllegalArgumentException e) {
            throw new RegistryException(
                    RegistryErrorCode.FAILED,
                    "topic %s offset %d is not an entry of the schema catalog: %s. Another program wrote to the topic."
                            .formatted(entry.topic(), entry.offset(), e.getMessage()),
                    e);
        }
    }
}
