package dev.claimstream.cli.doctor;

import dev.claimstream.cli.console.ComponentStatuses;
import dev.claimstream.kafka.BrokerReachability;
import dev.claimstream.kafka.KafkaConnection;
import dev.claimstream.kafka.TopicSetup;
import dev.claimstream.kafka.registry.RestRegistry;
import dev.claimstream.kubernetes.doctor.DoctorFinding;
import dev.claimstream.process.Connections;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Inspects individually started services: brokers, schema registry and health.
 *
 * @param kafka empty if no broker is given
 * @param registry empty if no registry is given
 * @param services health addresses
 * @param connections names the setting if one of them grants no access
 * @param principal whose credentials for Kafka are used, by its name in {@code principals.yaml}
 * @param principalPrefix text before the name of each principal in Kafka
 */
public record ServicesInspector(
        Optional<KafkaConnection> kafka,
        Optional<RestRegistry.RegistrySettings> registry,
        List<URI> services,
        Connections connections,
        Optional<String> principal,
        String principalPrefix) {
    private static final Duration BROKER_TIMEOUT = Duration.ofSeconds(5);

    public ServicesInspector {
        services = List.copyOf(services);
    }

    /**
     * Returns the findings on security, durability, schemas and certificates.
     *
     * @param report tells which brokers and registries respond
     * @param apiServer URL of the API server, if a cluster is checked
     */
    public List<DoctorFinding> securityFindings(ServicesReport report, Optional<URI> apiServer, Instant now) {
        return new SecurityInspector(
                        kafka.filter(_ -> report.topics().isPresent()),
                        registry.filter(_ -> report.registry()
                                .filter(QueryResult.Value.class::isInstance)
                                .isPresent()),
                        apiServer,
                        principal,
                        principalPrefix)
                .findings(now);
    }

    public ServicesReport inspect() {
        Optional<String> rejected = kafka.flatMap(connections::problem);
        Optional<BrokerReachability> brokers =
                kafka.filter(_ -> rejected.isEmpty()).map(each -> BrokerReachability.probe(each, BROKER_TIMEOUT));
        boolean isAnybodyThere =
                brokers.filter(each -> !each.reachable().isEmpty()).isPresent();
        SortedMap<String, QueryResult<ComponentStatuses>> health = new TreeMap<>();
        services.forEach(each -> health.put(each.toString(), ServiceQueries.health(each)));
        return new ServicesReport(
                rejected,
                brokers,
                kafka.filter(_ -> isAnybodyThere)
                        .map(each ->
                                ServiceQueries.kafka(() -> TopicSetup.missing(each, ServiceQueries.RESPONSE_TIMEOUT))),
                registry.map(each -> ServiceQueries.subjects(each, connections)),
                health);
    }
}
