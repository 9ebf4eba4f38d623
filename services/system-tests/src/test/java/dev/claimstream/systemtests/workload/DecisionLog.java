package dev.claimstream.systemtests.workload;

import dev.claimstream.kafka.AvroSerde;
import dev.claimstream.kafka.ConsumerSettings;
import dev.claimstream.kafka.DecodeResult;
import dev.claimstream.kafka.KafkaConnection;
import dev.claimstream.kafka.Topics;
import dev.claimstream.kafka.registry.RestRegistry;
import dev.claimstream.schemas.DecisionRecord;
import dev.claimstream.schemas.LedgerEvent;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.avro.specific.SpecificRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** Reads the decisions from {@code decisions.v1}, and the events from {@code ledger.v1}. */
public final class DecisionLog {
    private DecisionLog() {}

    /** Returns the names of the claims that have a decision. */
    static Set<String> claimNames(String bootstrap, URI registryUrl) {
        return decisions(bootstrap, registryUrl).stream()
                .map(DecisionRecord::getName)
                .collect(Collectors.toSet());
    }

    /** Returns the decisions in the order of the log, without compacted records. */
    public static List<DecisionRecord> decisions(String bootstrap, URI registryUrl) {
        return read(Topics.DECISIONS, DecisionRecord.class, bootstrap, registryUrl);
    }

    /** Returns the events of the ledger of cell 0, in their order. */
    public static List<LedgerEvent> ledger(String bootstrap, URI registryUrl) {
        return read(Topics.LEDGER, LedgerEvent.class, bootstrap, registryUrl);
    }

    private static <T extends SpecificRecord> List<T> read(
            String topic, Class<T> type, String bootstrap, URI registryUrl) {
        var serde = AvroSerde.of(type, new RestRegistry(RestRegistry.RegistrySettings.of(registryUrl)));
        List<T> values = new ArrayList<>();
        try (var consumer = new KafkaConsumer<>(
                ConsumerSettings.of(KafkaConnection.plain(bootstrap), "test").properties(),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer())) {
            var log = new TopicPartition(topic, 0);
            consumer.assign(List.of(log));
            consumer.seekToBeginning(List.of(log));
            long end = consumer.endOffsets(List.of(log)).getOrDefault(log, 0L);
            while (consumer.position(log) < end) {
                consumer.poll(Duration.ofMillis(200)).forEach(record -> {
                    if (serde.read(topic, record.value()) instanceof DecodeResult.Value<T>(var value)) {
                        values.add(value);
                    }
                });
            }
        }
        return values;
    }
}
