package dev.claimstream.console;

import dev.claimstream.kubernetes.access.AccessGate;
import dev.claimstream.process.access.AccessSettings;
import io.micronaut.context.annotation.Factory;
import io.micronaut.context.annotation.Requires;
import io.micronaut.context.env.Environment;
import jakarta.inject.Singleton;

/** Creates the gate of the console from the settings. */
@Factory
final class AccessFactory {
    @Singleton
    @Requires(missingBeans = AccessGate.class)
    AccessGate gate(Environment settings) {
        return AccessSettings.gate(settings);
    }
}
