package dev.claimstream.cli.doctor;

import dev.claimstream.cli.input.HttpAddress;
import dev.claimstream.kafka.KafkaConnection;
import dev.claimstream.kafka.security.PrincipalTable;
import dev.claimstream.process.Connections;
import dev.claimstream.process.settings.SettingsContext;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import picocli.CommandLine.Option;

/** Options with the addresses of individually started services. */
public final class ServicesOption {
    @Option(
            names = "--bootstrap",
            paramLabel = "HOST:PORT",
            description = "Kafka of individually started services, preferably all brokers, separated by commas."
                    + " Default, if such services are checked: $CLAIMSTREAM_KAFKA_BOOTSTRAP. Settings of TLS and SASL come from"
                    + " the environment and the files of $CLAIMSTREAM_CONFIG.")
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

    @Option(
            names = "--principal",
            paramLabel = "NAME",
            description =
                    "Also check the permissions of the service whose credentials for Kafka doctor uses: agent, watcher,"
                            + " allocator, writer, archive, console, history, shadow, simulator, producer or topics.")
    private Optional<String> principal = Optional.empty();

    @Option(
            names = "--principal-prefix",
            paramLabel = "PREFIX",
            defaultValue = "User:claimstream-",
            description =
                    "Text before the name of each principal in the ACLs of Kafka; for certificates, User:CN=claimstream-"
                            + " for example. Default: ${DEFAULT-VALUE}")
    private String principalPrefix = "";

    /** Returns whether any of these options is given. */
    public boolean areNamed() {
        return bootstrap.isPresent() || registry.isPresent() || !health.isEmpty() || principal.isPresent();
    }

    /**
     * Returns the inspector of the services.
     *
     * @param console address of the console, if given
     * @throws IllegalArgumentException if an address is invalid
     */
    public ServicesInspector inspector(Optional<URI> console) {
        principal.ifPresent(name -> PrincipalTable.shipped().get(name));
        try (var settings = SettingsContext.ofCommand()) {
            var connections = new Connections(settings.getEnvironment());
            Optional<URI> registryUrl =
                    registry.map(text -> HttpAddress.of("--registry", text)).or(connections::registryUrl);
            return new ServicesInspector(
                    bootstrap
                            .map(ServicesOption::checked)
                            .or(connections::bootstrap)
                            .map(connections::kafka),
                    registryUrl.map(connections::registry),
                    Stream.concat(console.stream(), health.stream().map(text -> HttpAddress.of("--health", text)))
                            .toList(),
                    connections,
                    principal,
                    principalPrefix);
        }
    }

    private static String checked(String named) {
        if (!KafkaConnection.isBootstrap(named)) {
            throw new IllegalArgumentException(
                    "--bootstrap %s: use host:port, several separated by commas".formatted(named));
        }
        return named;
    }
}
