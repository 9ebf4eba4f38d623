package dev.claimstream.systemtests.examples;

import dev.claimstream.allocation.cell.Stamp;
import dev.claimstream.dra.Kind;
import dev.claimstream.kafka.AvroSerde;
import dev.claimstream.kafka.KafkaConnection;
import dev.claimstream.kafka.RecordKey;
import dev.claimstream.kafka.Topics;
import dev.claimstream.kafka.registry.SchemaRegistry;
import dev.claimstream.schemas.ClaimsRecord;
import dev.claimstream.schemas.InventoryRecord;
import dev.claimstream.wire.PublicRecord;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;

/** A schema registry over HTTP, and sync markers whose schemas it has. */
final class Registries {
    private static final List<String> SUBJECTS = List.of("inventory.v1-value", "claims.v1-value", "decisions.v1-value");

    private Registries() {}

    /** Returns the numbers of the versions of the subjects that a program of {@code deploy/producers} uses. */
    static List<Integer> versions(URI registry) throws IOException, InterruptedException {
        StringBuilder all = new StringBuilder();
        for (String subject : SUBJECTS) {
            all.append(get(registry, "/subjects/" + subject + "/versions")).append(',');
        }
        return Arrays.stream(all.toString().replaceAll("[\\[\\] ]", "").split(","))
                .map(Integer::valueOf)
                .toList();
    }

    /** Returns the body of a successful response. */
    static String get(URI registry, String path) throws IOException, InterruptedException {
        try (HttpClient http = HttpClient.newHttpClient()) {
            String address = registry.toString().replaceFirst("/+$", "") + path;
            var response = http.send(HttpRequest.newBuilder(URI.create(address)).build(), BodyHandlers.ofString());
            if (response.statusCode() != 200) {
                throw new IOException("%s: %d %s".formatted(address, response.statusCode(), response.body()));
            }
            return response.body();
        }
    }

    /** Sends the sync marker of a kind to all partitions. A list is complete when every partition has its marker. */
    static void sync(KafkaConnection kafka, SchemaRegistry registry, Stamp stamp, Kind kind, int partitions)
            throws InterruptedException, ExecutionException {
        switch (PublicRecord.syncMarker(stamp, kind, 0)) {
            case PublicRecord.InventoryTopicRecord record -> {
                var serde = AvroSerde.of(InventoryRecord.class, registry);
                byte[] value = serde.write(Topics.INVENTORY, record.value());
                sendToAll(kafka, Topics.INVENTORY, record.key(), value, partitions);
            }
            case PublicRecord.ClaimsTopicRecord record -> {
                var serde = AvroSerde.of(ClaimsRecord.class, registry);
                sendToAll(kafka, Topics.CLAIMS, record.key(), serde.write(Topics.CLAIMS, record.value()), partitions);
            }
        }
    }

    private static void sendToAll(KafkaConnection kafka, String topic, List<String> key, byte[] value, int partitions)
            throws InterruptedException, ExecutionException {
        try (var producer =
                new KafkaProducer<>(kafka.properties(), new StringSerializer(), new ByteArraySerializer())) {
            for (int partition = 0; partition < partitions; partition++) {
                producer.send(new ProducerRecord<>(topic, partition, new RecordKey(key).text(), value))
                        .get();
            }
        }
    }
}
