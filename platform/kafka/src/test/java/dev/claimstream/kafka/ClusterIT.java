package dev.claimstream.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.kafka.broker.BrokerSettings;
import dev.claimstream.kafka.broker.EmbeddedBroker;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The contract on the embedded broker. */
final class ClusterIT extends BrokerContract {
    private static final Duration TIMEOUT = Duration.ofSeconds(20);

    private static EmbeddedBroker broker;

    @BeforeAll
    static void start() {
        broker = EmbeddedBroker.start(BrokerSettings.in(folder.resolve("broker")));
        connect(broker.bootstrap());
    }

    @AfterAll
    static void stop() {
        disconnect();
        broker.close();
    }

    @Test
    void findsMissingTopicsForExistingCellCount(@TempDir Path fresh) {
        Topics topics = Topics.shipped().forCells(3);
        try (var other = EmbeddedBroker.start(BrokerSettings.in(fresh))) {
            var kafka = KafkaConnection.plain(other.bootstrap());
            assertThat(TopicSetup.missing(kafka, TIMEOUT))
                    .hasSameSizeAs(topics.all())
                    .contains(Topics.CELLS_IN);
            var created = TopicSetup.createMissing(kafka, topics, TIMEOUT);
            assertThat(created).hasSameSizeAs(topics.all());
            assertThat(TopicSetup.missing(kafka, TIMEOUT)).isEmpty();
        }
    }
}
