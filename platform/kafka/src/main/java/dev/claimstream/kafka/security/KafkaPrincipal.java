package dev.claimstream.kafka.security;

import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A principal of a secured Kafka, with everything that it may do.
 *
 * @param name name in {@code principals.yaml}
 * @param description what runs as this principal, in one sentence
 * @param permissions ordered by resource
 * @param quotas client quotas of the user, by Kafka's names
 */
public record KafkaPrincipal(
        String name, String description, List<KafkaPermission> permissions, SortedMap<String, Long> quotas) {
    public KafkaPrincipal {
        permissions = List.copyOf(permissions);
        quotas = Collections.unmodifiableSortedMap(new TreeMap<>(quotas));
    }
}
