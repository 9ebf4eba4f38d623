package dev.claimstream.kafka;

import java.time.Duration;
import java.util.Optional;
import java.util.Properties;

/**
 * How a consumer of ours reads: what was committed, from the beginning, and its place is its own to keep.
 *
 * @param clientId its name in logs and metrics
 * @param group present where partitions are shared among processes or offsets are kept in Kafka
 * @param fetchWait how long a broker waits for records before it answers a fetch; empty: Kafka's default
 */
public record ConsumerSettings(
        KafkaConnection connection, String clientId, Optional<String> group, Optional<Duration> fetchWait) {
    /**
     * How long a poll and an open fetch of a consumer last that follows its topics without work. A record ends both at once; a wake-up ends
     * the poll.
     */
    public static final Duration IDLE = Duration.ofSeconds(2);

    /** How long such a consumer may take to close: otherwise it waits for the end of its open fetch. */
    public static final Duration CLOSE_WITHIN = Duration.ofMillis(200);

    /** Without a group: partitions are assigned by hand. */
    public static ConsumerSettings of(KafkaConnection connection, String clientId) {
        return new ConsumerSettings(connection, clientId, Optional.empty(), Optional.empty());
    }

    /** In this group, as this member. */
    public ConsumerSettings inGroup(String name) {
        return new ConsumerSettings(connection, clientId, Optional.of(name), fetchWait);
    }

    /** The same with an open fetch that lasts so long while there is nothing to read. */
    public ConsumerSettings withFetchWait(Duration wait) {
        return new ConsumerSettings(connection, clientId, group, Optional.of(wait));
    }

    /** The settings by Kafka's names; deserializers are given to the consumer. */
    public Properties properties() {
        Properties p = connection.properties();
        p.put("client.id", clientId);
        p.put("isolation.level", "read_committed");
        p.put("enable.auto.commit", "false");
        p.put("auto.offset.reset", "earliest");
        p.put("allow.auto.create.topics", "false");
        fetchWait.ifPresent(wait -> p.put("fetch.max.wait.ms", Long.toString(wait.toMillis())));
        group.ifPresent(name -> {
            p.put("group.id", name);
            p.put("group.instance.id", clientId);
            p.put("session.timeout.ms", "10000");
            p.put("heartbeat.interval.ms", "3000");
        });
        return p;
    }
}
