package dev.claimstream.kafka;

import java.util.Optional;
import java.util.Properties;

/**
 * How a consumer of ours reads: what was committed, from the beginning, and its place is its own to keep.
 *
 * @param clientId its name in logs and metrics
 * @param group present where partitions are shared among processes or offsets are kept in Kafka
 */
public record ConsumerSettings(KafkaConnection connection, String clientId, Optional<String> group) {
    /** Without a group: partitions are assigned by hand. */
    public static ConsumerSettings of(KafkaConnection connection, String clientId) {
        return new ConsumerSettings(connection, clientId, Optional.empty());
    }

    /** In this group, as this member. */
    public ConsumerSettings inGroup(String name) {
        return new ConsumerSettings(connection, clientId, Optional.of(name));
    }

    /** The settings by Kafka's names; deserializers are given to the consumer. */
    public Properties properties() {
        Properties p = connection.properties();
        p.put("client.id", clientId);
        p.put("isolation.level", "read_committed");
        p.put("enable.auto.commit", "false");
        p.put("auto.offset.reset", "earliest");
        p.put("allow.auto.create.topics", "false");
        group.ifPresent(name -> {
            p.put("group.id", name);
            p.put("group.instance.id", clientId);
            p.put("session.timeout.ms", "10000");
            p.put("heartbeat.interval.ms", "3000");
        });
        return p;
    }
}
