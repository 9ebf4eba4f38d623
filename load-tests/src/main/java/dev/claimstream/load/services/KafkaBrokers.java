package dev.claimstream.load.services;

import dev.claimstream.kafka.KafkaConnection;
import dev.claimstream.kafka.broker.BrokerSettings;
import dev.claimstream.kafka.broker.EmbeddedBroker;
import java.nio.file.Path;
import java.util.Map;

/** The running brokers of an installation. */
interface KafkaBrokers extends AutoCloseable {
    KafkaConnection connection();

    /** Environment variables of services, for the security of the connection. */
    default Map<String, String> serviceSettings() {
        return Map.of();
    }

    @Override
    void close();

    /** Starts one broker in this process. */
    static KafkaBrokers embedded(Path folder) {
        var broker = EmbeddedBroker.start(BrokerSettings.in(folder.resolve("kafka")));
        return new KafkaBrokers() {
            @Override
            public KafkaConnection connection() {
                return KafkaConnection.plain(broker.bootstrap());
            }

            @Override
            public void close() {
                broker.close();
            }
        };
    }
}
