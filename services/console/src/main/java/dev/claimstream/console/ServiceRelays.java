package dev.claimstream.console;

import io.micronaut.context.annotation.Value;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.stream.Stream;

/** The services that the console passes questions to. Each has an address in the settings, or is off. */
@Singleton
final class ServiceRelays {
    private final ServiceRelay history;
    private final ServiceRelay simulator;

    ServiceRelays(
            @Value("${claimstream.console.history-url:}") String historyUrl,
            @Value("${claimstream.console.simulator-url:}") String simulatorUrl) {
        history = new ServiceRelay("history", historyUrl);
        simulator = new ServiceRelay("simulator", simulatorUrl);
    }

    ServiceRelay history() {
        return history;
    }

    ServiceRelay simulator() {
        return simulator;
    }

    /** Returns the names of the services that have an address. */
    List<String> names() {
        return Stream.of(history, simulator)
                .filter(ServiceRelay::isKnown)
                .map(ServiceRelay::service)
                .toList();
    }
}
