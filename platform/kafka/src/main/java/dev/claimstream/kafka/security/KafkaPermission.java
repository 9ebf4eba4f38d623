package dev.claimstream.kafka.security;

import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;

/**
 * Operations that a principal may do on one resource of Kafka, from every host.
 *
 * @param principal name of the principal in {@code principals.yaml}
 * @param resource topic, group or TransactionalId, by name or by prefix
 */
public record KafkaPermission(String principal, ResourcePattern resource, Set<AclOperation> operations) {
    private static final String ANY_HOST = "*";

    public KafkaPermission {
        operations = Collections.unmodifiableSet(EnumSet.copyOf(operations));
    }

    static KafkaPermission on(
            String principal, ResourceType type, PatternType pattern, String name, AclOperation... all) {
        return new KafkaPermission(principal, new ResourcePattern(type, name, pattern), Set.of(all));
    }

    /** The ACLs of Kafka, one per operation. */
    public List<AclBinding> bindings(String kafkaPrincipal) {
        return operations.stream()
                .map(operation -> new AclBinding(
                        resource, new AccessControlEntry(kafkaPrincipal, ANY_HOST, operation, AclPermissionType.ALLOW)))
                .toList();
    }

    /** The resource in words, for example {@code topic claims.v1} or {@code group claimstream-allocator*}. */
    public String resourceText() {
        String name = resource.patternType() == PatternType.PREFIXED ? resource.name() + "*" : resource.name();
        return switch (resource.resourceType()) {
            case TOPIC -> "topic " + name;
            case GROUP -> "group " + name;
            case TRANSACTIONAL_ID -> "TransactionalId " + name;
            default -> resource.resourceType() + " " + name;
        };
    }
}
