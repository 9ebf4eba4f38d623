package dev.claimstream.cli.doctor;

import dev.claimstream.cli.input.HttpAddress;
import dev.claimstream.kafka.KafkaConnection;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.stream.Stream;
import picocli.CommandLine.Option;

/** Options with the addresses of individually started services. */
public final class ServicesOption {
    @Option(
            names = "--bootstrap",
            paramLabel = "HOST:PORT",
            description = "Kafka of individually started services, preferably all brokers, separated by commas."
                    + " Default, if such services are checked: $CLAIMSTREAM_KAFKA_BOOTSTRAP.")
    private Optional<String> bootstrap = Optional.empty();

    @Option(
            names = "--registry",
            paramLabel = "URL",
            description = "Schema registry of these services. Default, as above: $CLAIMSTREAM_REGISTRY_URL.")
    private Optional<String> registry = Optional.empty();

    @Option(
            names = "--health",
            paramLabel = "URL",
            split = ",",
            description = "Health addresses of these services (CLAIMSTREAM_OBSERVABILITY_PORT), separated by commas;"
                    + " for the console, use --console.")
    private List<String> health = new ArrayList<>();

    /** Returns whether any of these options is given. */
    public boolean areNamed() {
        return bootstrap.isPresent() || registry.isPresent() || !health.isEmpty();
    }

    /**
     * Returns the inspector of the services.
     *
     * @param console address of the console, if given
     * @throws IllegalArgumentException if an address is invalid
     */
    public ServicesInspector inspector(Optional<URI> console) {
        return new ServicesInspector(
                named("--bootstrap", bootstrap, "CLAIMSTREAM_KAFKA_BOOTSTRAP", ServicesOption::kafka),
                named("--registry", registry, "CLAIMSTREAM_REGISTRY_URL", HttpAddress::of),
                Stream.concat(console.stream(), health.stream().map(text -> HttpAddress.of("--health", text)))
                        .toList());
    }

    private static <T> Optional<T> named(
            String option, Optional<String> text, String variable, BiFunction<String, String, T> read) {
        return text.map(each -> read.apply(option, each))
                .or(() -> Optional.ofNullable(System.getenv(variable))
                        .filter(each -> !each.isBlank())
                        .map(each -> read.apply("$" + variable, each)));
    }

    private static KafkaConnection kafka(String named, String text) {
        if (!KafkaConnection.isBootstrap(text)) {
            throw new IllegalArgumentException(
                    "%s %s: use host:port, several separated by commas".formatted(named, text));
        }
        return KafkaConnection.plain(text);
    }
}
