package dev.claimstream.process;

import dev.claimstream.kafka.RetryPolicy;
import dev.claimstream.observability.Health;
import dev.claimstream.observability.Meters;
import dev.claimstream.observability.ObservabilityServer;
import io.micronaut.core.value.PropertyResolver;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Waits until the host name of a broker is known. Kafka's clients cannot be created before.
 *
 * <p>The names of brokers in the same cluster are unknown until their pods are ready. Meanwhile the process is alive and
 * not ready, and its health says why.
 */
final class BrokerNames {
    private static final Logger LOG = LoggerFactory.getLogger(BrokerNames.class);
    private static final String HOST = "claimstream.observability.host";
    private static final String PORT = "claimstream.observability.port";
    private static final String LOOPBACK = "127.0.0.1";

    private final String bootstrap;
    private final RetryPolicy backoff = RetryPolicy.withJitter(Duration.ofMillis(500), Duration.ofSeconds(10));

    /** @param bootstrap valid addresses, separated by commas */
    BrokerNames(String bootstrap) {
        this.bootstrap = bootstrap;
    }

    /** Returns whether a name is known; false if the process is stopped before. */
    boolean await(PropertyResolver settings, CountDownLatch stop) {
        if (isKnown()) {
            return true;
        }
        String problem = "%s: unknown host: correct claimstream.kafka.bootstrap, or check that the DNS knows the name"
                .formatted(bootstrap);
        LOG.atWarn().addKeyValue("why", problem).log("Kafka cannot be reached; retrying");
        var health = new Health();
        health.register("kafka", () -> Health.Condition.down(problem));
        Optional<ObservabilityServer> server = settings.getProperty(PORT, Integer.class)
                .map(port -> ObservabilityServer.start(
                        settings.getProperty(HOST, String.class).orElse(LOOPBACK), port, new Meters(), health));
        try {
            return awaitKnown(stop);
        } finally {
            server.ifPresent(ObservabilityServer::close); // the services open the port again
        }
    }

    private boolean awaitKnown(CountDownLatch stop) {
        try {
            while (!isKnown()) {
                if (stop.await(backoff.next().toMillis(), TimeUnit.MILLISECONDS)) {
                    return false;
                }
            }
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private boolean isKnown() {
        return Arrays.stream(bootstrap.split(",", -1))
                .map(String::strip)
                .map(each -> each.substring(0, each.lastIndexOf(':')))
                .anyMatch(BrokerNames::isKnown);
    }

    private static boolean isKnown(String host) {
        try {
            var unused = InetAddress.getByName(host);
            return true;
        } catch (UnknownHostException e) {
            return false;
        }
    }
}
