package dev.claimstream.console;

import dev.claimstream.kafka.KafkaConnection;
import dev.claimstream.kafka.registry.RestRegistry;
import dev.claimstream.kafka.registry.SchemaRegistry;
import io.micronaut.context.annotation.Factory;
import io.micronaut.context.annotation.Requires;
import io.micronaut.context.annotation.Value;
import jakarta.inject.Singleton;
import java.net.URI;

/** Where Kafka and the registry are, unless whoever starts the process has connected them already. */
@Factory
final class Connections {
    @Singleton
    @Requires(property = "claimstream.kafka.bootstrap")
    KafkaConnection kafka(@Value("${claimstream.kafka.bootstrap}") String bootstrap) {
        return KafkaConnection.plain(bootstrap);
    }

    @Singleton
    @Requires(property = "claimstream.registry.url")
    SchemaRegistry registry(@Value("${claimstream.registry.url}") URI url) {
        return new RestRegistry(RestRegistry.Settings.of(url));
    }
}
