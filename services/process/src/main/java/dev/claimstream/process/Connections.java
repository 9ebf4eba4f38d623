package dev.claimstream.process;

import dev.claimstream.kafka.KafkaConnection;
import dev.claimstream.kafka.registry.RestRegistry;
import dev.claimstream.observability.Health;
import dev.claimstream.process.settings.Setting;
import io.micronaut.core.value.PropertyResolver;
import java.net.URI;

/**
 * The configured connections to Kafka and the schema registry.
 *
 * <p>An invalid setting is an {@link IllegalArgumentException} that names the setting.
 */
record Connections(KafkaConnection kafka, URI registryUrl, RestRegistry registry) {
    private static final String BOOTSTRAP = "claimstream.kafka.bootstrap";
    private static final String REGISTRY = "claimstream.registry.url";

    static Connections of(PropertyResolver settings) {
        String bootstrap = bootstrap(required(settings, BOOTSTRAP, "the host:port of Kafka"));
        URI registry = address(required(settings, REGISTRY, "the address of the schema registry"));
        return new Connections(
                KafkaConnection.plain(bootstrap),
                registry,
                new RestRegistry(RestRegistry.RegistrySettings.of(registry)));
    }

    /** Health of the registry: degraded while it fails. Schemas that are cached can still be used. */
    Health.Condition registryCondition() {
        return registry.currentError()
                .map(why -> Health.Condition.degraded("only cached schemas can be used: " + why))
                .orElseGet(() -> Health.Condition.up("connected to " + registryUrl));
    }

    private static String required(PropertyResolver settings, String name, String meaning) {
        return settings.getProperty(name, String.class)
                .map(String::strip)
                .filter(text -> !text.isEmpty())
                .orElseThrow(() -> new IllegalArgumentException(
                        "%s is not set: set it, or %s, to %s".formatted(name, Setting.variable(name), meaning)));
    }

    private static String bootstrap(String text) {
        if (KafkaConnection.isBootstrap(text)) {
            return text;
        }
        throw new IllegalArgumentException(
                "%s is '%s': use host:port, several with commas between".formatted(BOOTSTRAP, text));
    }

    private static URI address(String text) {
        try {
            URI address = URI.create(text);
            boolean isHttp = "http".equals(address.getScheme()) || "https".equals(address.getScheme());
            if (isHttp && address.getHost() != null) {
                return address;
            }
        } catch (IllegalArgumentException e) {
            // reported below
        }
        throw new IllegalArgumentException(
                "%s is '%s': use an address like http://localhost:8081".formatted(REGISTRY, text));
    }
}
