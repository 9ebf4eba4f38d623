package dev.claimstream.process;

import dev.claimstream.observability.Health;
import dev.claimstream.observability.Meters;
import dev.claimstream.observability.ObservabilityServer;
import dev.claimstream.observability.Traces;
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

    @Context
    @Bean(preDestroy = "close")
    Traces traces(@Value("${claimstream.tracing.endpoint:}") String endpoint, Meters meters) {
        return endpoint.isEmpty() ? Traces.off(meters) : Traces.to(URI.create(endpoint), meters);
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
