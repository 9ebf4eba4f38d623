package dev.claimstream.process;

import dev.claimstream.kafka.KafkaConnection;
import dev.claimstream.kafka.registry.RestRegistry;
import dev.claimstream.kafka.security.BrokerAccess;
import dev.claimstream.observability.Health;
import dev.claimstream.process.settings.InvalidSettingsException;
import io.micronaut.core.value.PropertyResolver;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The configured connections to Kafka and the schema registry. */
public final class Connections {
    private static final String BOOTSTRAP = "claimstream.kafka.bootstrap";
    private static final String REGISTRY = "claimstream.registry.url";
    private static final Duration ANSWER_WITHIN = Duration.ofSeconds(10);

    private final ConnectionReader reader;
    private final KafkaAccess kafkaAccess;
    private final RegistryAccess registryAccess;

    /** Connections with these settings, whose values are valid one by one. */
    public Connections(PropertyResolver settings) {
        reader = new ConnectionReader(settings);
        kafkaAccess = new KafkaAccess(reader);
        registryAccess = new RegistryAccess(reader);
    }

    /** The configured brokers. */
    public Optional<String> bootstrap() {
        return reader.text(BOOTSTRAP);
    }

    /** The address of the configured schema registry. */
    public Optional<URI> registryUrl() {
        return reader.text(REGISTRY).map(URI::create);
    }

    /**
     * The connection to these brokers, with the configured encryption and authentication.
     *
     * @throws InvalidSettingsException if settings contradict each other or a file cannot be used
     */
    public KafkaConnection kafka(String bootstrap) {
        return kafkaAccess.connection(bootstrap);
    }

    /**
     * The settings of a client of this schema registry.
     *
     * @throws InvalidSettingsException if settings contradict each other or a file cannot be used
     */
    public RestRegistry.RegistrySettings registry(URI url) {
        return registryAccess.settings(url);
    }

    /** Why Kafka grants no access, with setting and remedy; empty if it does, or does not respond. */
    public Optional<String> problem(KafkaConnection kafka) {
        return kafka.security().isEmpty()
                ? Optional.empty()
                : BrokerAccess.fault(kafka, ANSWER_WITHIN).map(fault -> kafkaAccess.problem(fault, kafka.bootstrap()));
    }

    /** Why the registry grants no access, with setting and remedy; empty if it does, or does not respond. */
    public Optional<String> problem(RestRegistry registry, URI url) {
        return registry.accessFault().map(fault -> registryAccess.problem(fault, url));
    }

    /**
     * Asks Kafka once whether it grants access.
     *
     * @throws InvalidSettingsException if it does not
     */
    public void check(KafkaConnection kafka) {
        problem(kafka).ifPresent(each -> {
            throw new InvalidSettingsException(List.of(each));
        });
    }

    /**
     * Asks the registry once whether it grants access.
     *
     * @throws InvalidSettingsException if it does not
     */
    public void check(RestRegistry registry, URI url) {
        problem(registry, url).ifPresent(each -> {
            throw new InvalidSettingsException(List.of(each));
        });
    }

    /**
     * Asks Kafka and the registry once whether they grant access. Without a response the service starts, and retries.
     *
     * @throws InvalidSettingsException if one of them grants no access
     */
    void check(KafkaConnection kafka, RestRegistry registry, URI url) {
        List<String> problems = new ArrayList<>();
        problem(kafka).ifPresent(problems::add);
        problem(registry, url).ifPresent(problems::add);
        if (!problems.isEmpty()) {
            throw new InvalidSettingsException(problems);
        }
    }

    /** Health of the registry: degraded while it fails. Schemas that are cached can still be used. */
    static Health.Condition condition(RestRegistry registry, URI url) {
        return registry.currentError()
                .map(reason -> Health.Condition.degraded("only cached schemas can be used: " + reason))
                .orElseGet(() -> Health.Condition.up("connected to " + url));
    }
}
