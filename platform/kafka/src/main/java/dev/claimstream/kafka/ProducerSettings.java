package dev.claimstream.kafka;

import java.util.Optional;
import java.util.Properties;

/**
 * Settings of a producer: idempotent, {@code acks=all}, no lingering, partitioned by {@link KeyPartitioner}.
 *
 * @param clientId name in logs and metrics
 * @param transactionalId present for transactions; of two producers with the same id, the older one is fenced
 */
public record ProducerSettings(KafkaConnection connection, String clientId, Optional<String> transactionalId) {
    /** Without transactions. */
    public static ProducerSettings of(KafkaConnection connection, String clientId) {
        return new ProducerSettings(connection, clientId, Optional.empty());
    }

    /** A copy with transactions. */
    public ProducerSettings transactional(String id) {
        return new ProducerSettings(connection, clientId, Optional.of(id));
    }

    /** The settings by Kafka's names, without serializers. */
    public Properties properties() {
        Properties p = connection.properties();
        p.put("client.id", clientId);
        p.put("acks", "all");
        p.put("enable.idempotence", "true");
        p.put("linger.ms", "0");
        p.put("retry.backoff.ms", "2");
        p.put("retry.backoff.max.ms", "20");
        p.put("request.timeout.ms", "10000");
        p.put("delivery.timeout.ms", "30000");
        p.put("max.block.ms", "10000");
        p.put("partitioner.class", KeyPartitioner.class.getName());
        transactionalId.ifPresent(id -> {
            p.put("transactional.id", id);
            p.put("transaction.timeout.ms", "5000");
            // with more requests in flight, brokers log sequence errors under transactions of version 2
            p.put("max.in.flight.requests.per.connection", "1");
        });
        return p;
    }
}
