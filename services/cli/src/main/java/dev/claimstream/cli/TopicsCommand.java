package dev.claimstream.cli;

import dev.claimstream.cli.doctor.RegistryReport;
import dev.claimstream.cli.output.RunFailure;
import dev.claimstream.kafka.KafkaConnection;
import dev.claimstream.kafka.Topic;
import dev.claimstream.kafka.TopicSetup;
import dev.claimstream.kafka.Topics;
import dev.claimstream.kafka.contracts.SubjectSchemas;
import dev.claimstream.kafka.registry.RegistryException;
import dev.claimstream.kafka.registry.RegistryException.RegistryErrorCode;
import dev.claimstream.kafka.registry.RestRegistry;
import dev.claimstream.kafka.registry.RestRegistry.Registration;
import dev.claimstream.kubernetes.doctor.DoctorFinding;
import dev.claimstream.kubernetes.doctor.DoctorFinding.FindingStatus;
import dev.claimstream.process.Connections;
import dev.claimstream.process.settings.SettingsContext;
import java.io.PrintWriter;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Creates the topics for individually started services in an existing Kafka cluster. */
@Command(
        name = "topics",
        mixinStandardHelpOptions = true,
        subcommands = AclsCommand.class,
        header = "Create the topics in an existing Kafka cluster, for individually started services.",
        description = {
            "",
            "Existing topics are not changed, only checked: number of partitions and cleanup policy. 'claimstream up'"
                    + " and 'claimstream run' create their own topics.",
            "",
            "If a schema registry is configured, its schemas are compared with those of this program first. Without"
                    + " permission to read them, the command prints this and continues.",
            ""
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:all topics exist",
            "1:Kafka or the registry does not respond, the registry has an incompatible schema or does not register one,"
                    + " an existing topic has other settings, or one is missing with --check; no topic was changed"
        },
        footer = {"", "Example: claimstream topics --bootstrap kafka-0:9092,kafka-1:9092"})
final class TopicsCommand implements Callable<Integer> {
    private static final Duration RESPONSE_TIMEOUT = Duration.ofSeconds(10);
    private static final int CELLS_MAX = 64;

    @Option(
            names = "--bootstrap",
            paramLabel = "HOST:PORT",
            description = "Kafka bootstrap servers, separated by commas. Default: $CLAIMSTREAM_KAFKA_BOOTSTRAP, or"
                    + " claimstream.kafka.bootstrap in a file of $CLAIMSTREAM_CONFIG, which also have TLS and SASL.")
    private Optional<String> bootstrap = Optional.empty();

    @Option(
            names = "--registry",
            paramLabel = "URL",
            description =
                    "Schema registry of the services. Default, as above: $CLAIMSTREAM_REGISTRY_URL. Without one, no"
                            + " schema is checked.")
    private Optional<String> registry = Optional.empty();

    @Option(
            names = "--cells",
            paramLabel = "N",
            defaultValue = "1",
            description =
                    "Number of cells that the allocators divide the nodes into; cannot be changed later. Default: 1,"
                            + " which is the fastest up to very large clusters.")
    private int cells;

    @Option(names = "--check", description = "Create no topic: fail if one is missing.")
    private boolean checkOnly;

    @Option(
            names = "--register",
            description = "Register the schemas of this version in the schema registry, for services with"
                    + " claimstream.registry.register=false. With --check: fail if one is missing.")
    private boolean registers;

    @Spec
    private CommandSpec spec;

    @SuppressWarnings("NullAway.Init") // picocli sets the fields before it runs anything
    private TopicsCommand() {}

    @Override
    public Integer call() {
        Topics topics = Topics.shipped().forCells(checkedCells()).withChangelogs();
        List<String> created;
        try (var settings = SettingsContext.ofCommand()) {
            var connections = new Connections(settings.getEnvironment());
            KafkaConnection kafka = connections.kafka(
                    checkedBootstrap(bootstrap.or(connections::bootstrap).orElse("")));
            connections.check(kafka);
            Optional<URI> url = registry.map(text -> LogSourceOption.checkedRegistry(spec, text))
                    .or(connections::registryUrl);
            if (registers && url.isEmpty()) {
                throw new ParameterException(
                        spec.commandLine(), "--register needs a schema registry: add --registry URL");
            }
            url.ifPresent(each -> {
                checkSchemas(connections, each);
                if (registers) {
                    registerSchemas(connections, each);
                }
            });
            created = checkOnly
                    ? failIfMissing(kafka, topics)
                    : TopicSetup.createMissing(kafka, topics, RESPONSE_TIMEOUT);
        }
        PrintWriter out = spec.commandLine().getOut();
        topics.all().stream()
                .map(Topic::name)
                .forEach(name ->
                        out.println("topic/%s %s".formatted(name, created.contains(name) ? "created" : "unchanged")));
        out.flush();
        return ExitCodes.SUCCESS;
    }

    /** Ends the command before it creates a topic if the registry does not respond, or has an incompatible schema. */
    private void checkSchemas(Connections connections, URI url) {
        try (var client = new RestRegistry(connections.registry(url))) {
            connections.check(client, url);
            DoctorFinding finding = RegistryReport.compatibility(client);
            if (finding.status() == FindingStatus.FAILED) {
                throw new RunFailure("%s: %s".formatted(finding.observation(), finding.remedy()));
            }
        } catch (RegistryException e) {
            if (e.errorCode() == RegistryErrorCode.UNREACHABLE) {
                throw new RunFailure(String.valueOf(e.getMessage()));
            }
            PrintWriter err = spec.commandLine().getErr();
            err.println("schemas not checked: " + e.getMessage());
            err.flush();
        }
    }

    /** Registers every schema; with --check it only looks them up. */
    private void registerSchemas(Connections connections, URI url) {
        Registration registration = checkOnly ? Registration.LOOK_UP : Registration.REGISTER;
        try (var client = new RestRegistry(connections.registry(url).with(registration))) {
            SubjectSchemas.ofServices().register(client);
        } catch (RegistryException e) {
            boolean isRejected = !checkOnly && e.errorCode() != RegistryErrorCode.UNREACHABLE;
            throw new RunFailure(
                    isRejected
                            ? "schemas not registered: %s: allow this user to register schemas, and run the command again"
                                    .formatted(e.getMessage())
                            : String.valueOf(e.getMessage()));
        }
    }

    private static List<String> failIfMissing(KafkaConnection kafka, Topics topics) {
        List<String> missing = TopicSetup.missing(kafka, topics, RESPONSE_TIMEOUT);
        if (!missing.isEmpty()) {
            throw new RunFailure("%s has no topic %s: create them with claimstream topics, without --check"
                    .formatted(kafka.bootstrap(), String.join(", ", missing)));
        }
        return List.of();
    }

    private String checkedBootstrap(String named) {
        if (named.isBlank()) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--bootstrap is missing: name the host:port of Kafka, or set CLAIMSTREAM_KAFKA_BOOTSTRAP");
        }
        if (!KafkaConnection.isBootstrap(named)) {
            throw new ParameterException(
                    spec.commandLine(), "--bootstrap %s: use host:port, several separated by commas".formatted(named));
        }
        return named;
    }

    private int checkedCells() {
        if (cells < 1 || cells > CELLS_MAX) {
            throw new ParameterException(spec.commandLine(), "--cells %d: use 1 to %d".formatted(cells, CELLS_MAX));
        }
        return cells;
    }
}
