package dev.claimstream.systemtests.workload;

import dev.claimstream.kafka.AvroSerde;
import dev.claimstream.kafka.ConsumerSettings;
import dev.claimstream.kafka.DecodeResult;
import dev.claimstream.kafka.KafkaConnection;
import dev.claimstream.kafka.Topics;
import dev.claimstream.kafka.registry.RestRegistry;
import dev.claimstream.schemas.DecisionRecord;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** Reads the decisions from {@code decisions.v1}. */
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
        var serde = AvroSerde.of(DecisionRecord.class, new RestRegistry(RestRegistry.RegistrySettings.of(registryUrl)));
        List<DecisionRecord> decisions = new ArrayList<>();
        try (var consumer = new KafkaConsumer<>(
                ConsumerSettings.of(KafkaConnection.plain(bootstrap), "test").properties(),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer())) {
            var log = new TopicPartition(Topics.DECISIONS, 0);
            consumer.assign(List.of(log));
            consumer.seekToBeginning(List.of(log));
            long end = consumer.endOffsets(List.of(log)).getOrDefault(log, 0L);
            while (consumer.position(log) < end) {
                consumer.poll(Duration.ofMillis(200)).forEach(record -> {
                    if (serde.read(Topics.DECISIONS, record.value())
                            instanceof DecodeResult.Value<DecisionRecord>(var value)) {
                        decisions.add(value);
                    }
                });
            }
        }
        return decisions;
    }
}
