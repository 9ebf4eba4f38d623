package dev.claimstream.cli;

import dev.claimstream.audit.AuditLog;
import dev.claimstream.audit.streams.TopicLog;
import dev.claimstream.cli.console.ConsoleClient;
import dev.claimstream.cli.folder.DataFolder;
import dev.claimstream.cli.folder.DataOption;
import dev.claimstream.cli.folder.Endpoint;
import dev.claimstream.cli.input.HttpAddress;
import dev.claimstream.cli.output.RunFailure;
import dev.claimstream.kafka.KafkaConnection;
import dev.claimstream.kafka.registry.RestRegistry;
import dev.claimstream.process.Connections;
import dev.claimstream.process.settings.SettingsContext;
import java.net.URI;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.BiFunction;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Options that select the topics of a log: those of a running {@code up}, or of a Kafka cluster. */
final class LogSourceOption {
    private static final String CLIENT = "claimstream-audit";

    @Mixin
    private DataOption data;

    @Option(
            names = {"--bootstrap", "--bootstrap-servers"},
            paramLabel = "HOST:PORT",
            description = "Kafka bootstrap servers of individually started services, separated by commas, instead of"
                    + " --data. Settings of TLS and SASL come from the environment and the files of"
                    + " $CLAIMSTREAM_CONFIG.")
    private Optional<String> bootstrap = Optional.empty();

    @Option(
            names = "--registry",
            paramLabel = "URL",
            description = "Schema registry of these services. Default: $CLAIMSTREAM_REGISTRY_URL.")
    private Optional<String> registry = Optional.empty();

    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    @SuppressWarnings("NullAway.Init") // picocli sets the fields before it runs anything
    private LogSourceOption() {}

    /** Returns whether an option names the topics. Variables do not count. */
    boolean isNamed() {
        return data.isNamed() || bootstrap.isPresent();
    }

    /**
     * Opens the selected topics.
     *
     * @throws RunFailure if no {@code up} runs on the folder
     */
    AuditLog open() {
        if (bootstrap.isPresent() && data.isNamed()) {
            throw invalid("--bootstrap and --data exclude each other: leave one out");
        }
        return bootstrap.map(servers -> ofServices(spec, servers, registry)).orElseGet(() -> ofUp(data.folder()));
    }

    /**
     * Opens the topics of the {@code up} on a folder.
     *
     * @throws RunFailure if none runs
     */
    static AuditLog ofUp(Path folder) {
        Endpoint up = DataFolder.publishedEndpoint(folder)
                .filter(each -> ProcessHandle.of(each.pid()).isPresent())
                .orElseThrow(() -> new RunFailure(ConsoleClient.notRunningMessage(folder)));
        return TopicLog.owning(
                KafkaConnection.plain(up.bootstrap()),
                new RestRegistry(RestRegistry.RegistrySettings.of(up.registry())),
                CLIENT);
    }

    /** Opens the topics of individually started services. */
    static AuditLog ofServices(CommandSpec spec, String servers, Optional<String> registry) {
        return connected(spec, servers, registry, (kafka, schemas) -> TopicLog.owning(kafka, schemas, CLIENT));
    }

    /** Passes the Kafka and the registry of individually started services, which is not closed, to a function. */
    static <T> T connected(
            CommandSpec spec,
            String servers,
            Optional<String> registry,
            BiFunction<KafkaConnection, RestRegistry, T> use) {
        if (!KafkaConnection.isBootstrap(servers)) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--bootstrap %s: use host:port, several separated by commas".formatted(servers));
        }
        try (var settings = SettingsContext.ofCommand()) {
            var connections = new Connections(settings.getEnvironment());
            URI url = registry.map(text -> checkedRegistry(spec, text))
                    .or(connections::registryUrl)
                    .orElseThrow(
                            () -> new ParameterException(
                                    spec.commandLine(),
                                    "--registry is missing: name the URL of the schema registry, or set CLAIMSTREAM_REGISTRY_URL"));
            KafkaConnection kafka = connections.kafka(servers);
            connections.check(kafka);
            return use.apply(kafka, new RestRegistry(connections.registry(url)));
        }
    }

    /** Returns the URL that an option {@code --registry} names. */
    static URI checkedRegistry(CommandSpec spec, String text) {
        try {
            return HttpAddress.of("--registry", text);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
        }
    }

    private ParameterException invalid(String message) {
        return new ParameterException(spec.commandLine(), message);
    }
}
