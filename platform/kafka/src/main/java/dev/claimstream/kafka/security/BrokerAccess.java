package dev.claimstream.kafka.security;

import dev.claimstream.kafka.KafkaConnection;
import java.time.Duration;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.common.KafkaException;

/** Asks Kafka once whether it grants access. */
public final class BrokerAccess {
    private BrokerAccess() {}

    /**
     * Connects to the bootstrap addresses.
     *
     * @return why Kafka grants no access; empty if it does, or does not respond in time
     */
    public static Optional<AccessFault> fault(KafkaConnection kafka, Duration timeout) {
        Properties properties = kafka.properties();
        properties.put(AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, (int) timeout.toMillis());
        properties.put(AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG, (int) timeout.toMillis());
        try (Admin admin = Admin.create(properties)) {
            var unused = admin.describeCluster().clusterId().get(timeout.toMillis(), TimeUnit.MILLISECONDS);
            return Optional.empty();
        } catch (ExecutionException | KafkaException e) {
            return AccessFault.of(e);
        } catch (TimeoutException e) {
            return Optional.empty();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        }
    }
}
