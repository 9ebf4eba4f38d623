package dev.claimstream.cli.doctor;

import dev.claimstream.cli.console.ComponentStatuses;
import dev.claimstream.kafka.BrokerReachability;
import dev.claimstream.kafka.KafkaConnection;
import dev.claimstream.kafka.TopicSetup;
import dev.claimstream.kafka.registry.RestRegistry;
import dev.claimstream.process.Connections;
import java.net.URI;
import java.time.Duration;
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
 */
public record ServicesInspector(
        Optional<KafkaConnection> kafka,
        Optional<RestRegistry.RegistrySettings> registry,
        List<URI> services,
        Connections connections) {
    private static final Duration BROKER_TIMEOUT = Duration.ofSeconds(5);

    public ServicesInspector {
        services = List.copyOf(services);
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
                                ServiceQueries.topics(() -> TopicSetup.missing(each, ServiceQueries.RESPONSE_TIMEOUT))),
                registry.map(each -> ServiceQueries.subjects(each, connections)),
                health);
    }
}
