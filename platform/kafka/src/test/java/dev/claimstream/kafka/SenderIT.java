package dev.claimstream.kafka;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.claimstream.kafka.broker.BrokerSettings;
import dev.claimstream.kafka.broker.EmbeddedBroker;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Properties;
import org.apache.kafka.common.KafkaException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests the errors of records and requests that exceed a limit of the brokers. */
final class SenderIT {
    private static final int SOCKET_BYTES = 200_000;

    @TempDir
    private Path folder = Path.of("");

    /** A broker closes the connection of a request that is too large, without a response. */
    @Test
    void namesLimitThatRejectsRecord() {
        try (var broker = EmbeddedBroker.start(BrokerSettings.in(folder)
                .with("socket.request.max.bytes", Integer.toString(SOCKET_BYTES))
                .with("message.max.bytes", "20000"))) {
            var kafka = KafkaConnection.plain(broker.bootstrap());
            TopicSetup.createMissing(kafka, Topics.shipped(), Duration.ofSeconds(20));
            assertThatThrownBy(() -> write(kafka, SOCKET_BYTES + 1))
                    .isInstanceOf(KafkaException.class)
                    .hasMessageContaining("a record of 200002 bytes for topic telemetry.v1 was not written")
                    .hasMessageContaining("socket.request.max.bytes is smaller than the request");
            assertThatThrownBy(() -> write(kafka, 20_001))
                    .hasMessageContaining("a record of 20002 bytes for topic telemetry.v1 was not written")
                    .hasMessageContaining("raise max.message.bytes of the topic");
            assertThatCode(() -> write(kafka, 1000)).doesNotThrowAnyException();
        }
    }

    private static void write(KafkaConnection kafka, int bytes) {
        Properties properties = ProducerSettings.of(kafka, "test").properties();
        properties.put("request.timeout.ms", "1000");
        properties.put("delivery.timeout.ms", "2000");
        try (var sender = new Sender(properties)) {
            sender.send(Topics.TELEMETRY, "k", new byte[bytes]);
            sender.flush();
        }
    }
}
