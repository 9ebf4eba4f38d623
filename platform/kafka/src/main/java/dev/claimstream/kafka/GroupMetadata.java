package dev.claimstream.kafka;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;

/** Reads the texts that a consumer group has stored with its committed offsets. */
public final class GroupMetadata {
    private GroupMetadata() {}

    /**
     * Returns the text of each partition; empty if the group has committed nothing.
     *
     * @param timeout timeout of the request
     * @throws TopicsException if the broker does not respond
     */
    public static List<String> read(KafkaConnection kafka, String group, Duration timeout) {
        try (var admin = TopicSetup.admin(kafka, timeout)) {
            return new TopicSetup(admin, timeout)
                            .await(
                                    "reading the committed offsets of group " + group,
                                    admin.listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata())
                            .values()
                            .stream()
                            .filter(Objects::nonNull)
                            .map(OffsetAndMetadata::metadata)
                            .toList();
        }
    }
}
