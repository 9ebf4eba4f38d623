package dev.claimstream.cli;

import dev.claimstream.kafka.Brokers;
import dev.claimstream.kafka.KafkaConnection;
import dev.claimstream.kafka.TopicSetup;
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
 */
record ServicesLook(Optional<KafkaConnection> kafka, Optional<URI> registry, List<URI> services) {
    private static final Duration BROKER_ANSWERS_WITHIN = Duration.ofSeconds(5);

    ServicesLook {
        services = List.copyOf(services);
    }

    Services seen() {
        Optional<Brokers> brokers = kafka.map(each -> Brokers.ask(each, BROKER_ANSWERS_WITHIN));
        boolean isAnybodyThere =
                brokers.filter(each -> !each.answering().isEmpty()).isPresent();
        SortedMap<String, Asked<Parts>> health = new TreeMap<>();
        services.forEach(each -> health.put(each.toString(), Questions.health(each)));
        return new Services(
                brokers,
                kafka.filter(_ -> isAnybodyThere)
                        .map(each -> Questions.topics(() -> TopicSetup.missing(each, Questions.ANSWER_WITHIN))),
                registry.map(Questions::subjects),
                health);
    }
}
