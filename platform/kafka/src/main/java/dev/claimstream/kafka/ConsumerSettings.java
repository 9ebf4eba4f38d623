package dev.claimstream.kafka;

import java.time.Duration;
import java.util.Optional;
import java.util.Properties;

/**
 * Settings of a consumer: it reads committed records, from the earliest offset, and commits explicitly.
 *
 * @param clientId name in logs and metrics
 * @param group consumer group; present if processes share partitions or offsets are stored in Kafka
 * @param fetchWait how long a broker may wait for records before it answers a fetch; empty: Kafka's default
 */
public record ConsumerSettings(
        KafkaConnection connection, String clientId, Optional<String> group, Optional<Duration> fetchWait) {
    /** Poll timeout and fetch wait of an idle consumer. A record ends both at once; a wake-up ends the poll. */
    public static final Duration IDLE = Duration.ofSeconds(5);

    /** Close timeout of such a consumer; otherwise it would wait for the end of its open fetch. */
    public static final Duration CLOSE_WITHIN = Duration.ofMillis(200);

    /** Without a group: partitions are assigned manually. */
    public static ConsumerSettings of(KafkaConnection connection, String clientId) {
        return new ConsumerSettings(connection, clientId, Optional.empty(), Optional.empty());
    }

    /** A copy with a group. The client id is the static member id. */
    public ConsumerSettings inGroup(String name) {
        return new ConsumerSettings(connection, clientId, Optional.of(name), fetchWait);
    }

    /** A copy with another maximum wait of a fetch. */
    public ConsumerSettings withFetchWait(Duration wait) {
        return new ConsumerSettings(connection, clientId, group, Optional.of(wait));
    }

    /** The settings by Kafka's names, without deserializers. */
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
