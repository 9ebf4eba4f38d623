package dev.claimstream.systemtests.cluster;

import dev.claimstream.kafka.ConsumerSettings;
import dev.claimstream.kafka.KafkaConnection;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** Reads everything that a broker has recorded, changelogs included. */
final class RecordedBytes {
    private RecordedBytes() {}

    /** Returns keys, values and headers of all records, one character per byte. */
    static String of(String bootstrap) {
        var text = new StringBuilder();
        try (var consumer = new KafkaConsumer<>(
                ConsumerSettings.of(KafkaConnection.plain(bootstrap), "test").properties(),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer())) {
            List<TopicPartition> partitions = new ArrayList<>();
            consumer.listTopics()
                    .values()
                    .forEach(topic ->
                            topic.forEach(each -> partitions.add(new TopicPartition(each.topic(), each.partition()))));
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
            while (ends.entrySet().stream().anyMatch(end -> consumer.position(end.getKey()) < end.getValue())) {
                consumer.poll(Duration.ofMillis(100)).forEach(record -> append(text, record));
            }
        }
        return text.toString();
    }

    private static void append(StringBuilder text, ConsumerRecord<byte[], byte[]> record) {
        append(text, record.key());
        append(text, record.value());
        record.headers().forEach(header -> append(text, header.value()));
    }

    private static void append(StringBuilder text, byte[] bytes) {
        if (bytes != null) {
            text.append(new String(bytes, StandardCharsets.ISO_8859_1)).append('\n');
        }
    }
}
