package dev.claimstream.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.kafka.KafkaContainer;
import org.testcontainers.utility.DockerImageName;

/**
 * The contract on Apache Kafka in a container.
 *
 * <p>{@code CLAIMSTREAM_KAFKA_IMAGE} names another image with the same start script. {@code CLAIMSTREAM_CONTAINERS=required} makes a missing
 * Docker engine an error.
 */
final class KafkaContainerIT extends BrokerContract {
    private static final DockerImageName APACHE_KAFKA = DockerImageName.parse("apache/kafka:4.3.1");
    private static final String MISSING = """
            NOT TRIED: topics, registry and transactions on Kafka in a container.
            It needs a Docker engine that responds to 'docker version': start one, or run `.ci/run containers`.""";

    private static KafkaContainer container;

    @BeforeAll
    static void start() {
        boolean isReady = DockerClientFactory.instance().isDockerAvailable();
        assertThat(isReady || !"required".equals(System.getenv("CLAIMSTREAM_CONTAINERS")))
                .as(MISSING)
                .isTrue();
        if (!isReady) {
            System.err.println(MISSING);
        }
        assumeTrue(isReady, MISSING);
        String image = System.getenv("CLAIMSTREAM_KAFKA_IMAGE");
        boolean isHostNetwork = "host".equals(System.getenv("CLAIMSTREAM_CONTAINER_NETWORK"));
        DockerImageName name =
                image == null ? APACHE_KAFKA : DockerImageName.parse(image).asCompatibleSubstituteFor("apache/kafka");
        container = isHostNetwork ? new HostNetworkKafka(name) : new KafkaContainer(name);
        container.start();
        connect(container.getBootstrapServers());
    }

    @AfterAll
    static void stop() {
        if (container != null) {
            disconnect();
            container.stop();
        }
    }
}
