package dev.claimstream.process;

import dev.claimstream.observability.Health;
import dev.claimstream.observability.Meters;
import dev.claimstream.observability.ObservabilityServer;
import dev.claimstream.observability.Traces;
import dev.claimstream.process.settings.InvalidSettingsException;
import dev.claimstream.process.settings.SettingsCatalog;
import io.micronaut.context.annotation.Bean;
import io.micronaut.context.annotation.Context;
import io.micronaut.context.annotation.Factory;
import io.micronaut.context.annotation.Requires;
import io.micronaut.context.annotation.Value;
import jakarta.inject.Singleton;
import java.net.URI;

/** Creates the meters, the health and the optional HTTP server of a process. */
@Factory
final class ObservabilityFactory {
    private static final String TRACING_ENDPOINT = "claimstream.tracing.endpoint";

    @Singleton
    Meters meters(Health health) {
        var meters = new Meters();
        meters.show(health);
        return meters;
    }

    @Singleton
    Health health() {
        return new Health();
    }

    /**
     * Traces to the configured collector; off without one.
     *
     * @throws InvalidSettingsException if the setting has no address; {@code up} does not check its settings before
     */
    @Context
    @Bean(preDestroy = "close")
    Traces traces(@Value("${" + TRACING_ENDPOINT + ":}") String endpoint, Meters meters) {
        return endpoint.isBlank()
                ? Traces.off(meters)
                : Traces.to(URI.create(SettingsCatalog.requireValid(TRACING_ENDPOINT, endpoint.strip())), meters);
    }

    @Context
    @Bean(preDestroy = "close")
    @Requires(property = "claimstream.observability.port")
    ObservabilityServer server(
            @Value("${claimstream.observability.host:127.0.0.1}") String host,
            @Value("${claimstream.observability.port}") int port,
            Meters meters,
            Health health) {
        return ObservabilityServer.start(host, port, meters, health);
    }
}
