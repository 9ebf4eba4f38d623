package dev.claimstream.cli;

import dev.claimstream.kafka.KafkaConnection;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.stream.Stream;
import picocli.CommandLine.Option;

/** Options with the addresses of individually started services. */
final class ServicesOption {
    @Option(
            names = "--bootstrap",
            paramLabel = "HOST:PORT",
            description = "Of services that were started one by one: their Kafka, best all of its brokers with commas"
                    + " between. Default, where such services are looked at: $CLAIMSTREAM_KAFKA_BOOTSTRAP.")
    private Optional<String> bootstrap = Optional.empty();

    @Option(
            names = "--registry",
            paramLabel = "URL",
            description = "Their schema registry. Default, as above: $CLAIMSTREAM_REGISTRY_URL.")
    private Optional<String> registry = Optional.empty();

    @Option(
            names = "--health",
            paramLabel = "URL",
            split = ",",
            description = "Where they show their health (CLAIMSTREAM_OBSERVABILITY_PORT), several with commas between;"
                    + " that of the console is asked at --console.")
    private List<String> health = new ArrayList<>();

    /** Returns whether any of these options is given. */
    boolean areNamed() {
        return bootstrap.isPresent() || registry.isPresent() || !health.isEmpty();
    }

    /**
     * Returns the inspector of the services.
     *
     * @param console address of the console, if given
     * @throws IllegalArgumentException if an address is invalid
     */
    ServicesInspector inspector(Optional<URI> console) {
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
                    "%s %s: use host:port, several with commas between".formatted(named, text));
        }
        return KafkaConnection.plain(text);
    }
}
