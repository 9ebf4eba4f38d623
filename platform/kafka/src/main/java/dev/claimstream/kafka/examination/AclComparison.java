package dev.claimstream.kafka.examination;

import dev.claimstream.kafka.Topics;
import dev.claimstream.kafka.security.AclCommands;
import dev.claimstream.kafka.security.KafkaPermission;
import dev.claimstream.kafka.security.KafkaPrincipal;
import dev.claimstream.kafka.security.PrincipalTable;
import java.util.Collection;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;

/**
 * Compares the ACLs of a cluster with the table of permissions. Super users have no ACLs, so they are not compared.
 *
 * @param principalPrefix text before the name of each principal, for example {@code User:claimstream-}
 * @param existing all ACLs of the cluster
 */
record AclComparison(String principalPrefix, Collection<AclBinding> existing) {
    private static final String ANY = "*";
    private static final String ALL_USERS = "User:*";

    /** Topics that external producers may write. */
    private static final Set<String> PUBLIC_TOPICS = Set.of(Topics.INVENTORY, Topics.CLAIMS, Topics.TELEMETRY);

    /** Operations that include Describe. */
    private static final Set<AclOperation> DESCRIBING =
            Set.of(AclOperation.READ, AclOperation.WRITE, AclOperation.DELETE, AclOperation.ALTER);

    private static final Set<AclOperation> CHANGING = Set.of(
            AclOperation.WRITE, AclOperation.DELETE, AclOperation.ALTER, AclOperation.ALTER_CONFIGS, AclOperation.ALL);

    PermissionFacts.AclDifferences with(PrincipalTable table) {
        return new PermissionFacts.AclDifferences(
                table.all().stream()
                        .flatMap(each -> each.permissions().stream())
                        .flatMap(this::missing)
                        .toList(),
                existing.stream()
                        .filter(each -> each.entry().permissionType() == AclPermissionType.ALLOW)
                        .filter(each -> isExcess(each, table))
                        .map(each -> "%s may %s %s"
                                .formatted(
                                        each.entry().principal(),
                                        AclCommands.operationText(each.entry().operation()),
                                        text(each)))
                        .distinct()
                        .sorted()
                        .toList());
    }

    private Stream<String> missing(KafkaPermission required) {
        String principal = principalPrefix + required.principal();
        return required.operations().stream()
                .filter(operation -> isWithout(principal, operation, required.resource()))
                .map(operation -> "%s lacks %s on %s"
                        .formatted(principal, AclCommands.operationText(operation), required.resourceText()));
    }

    /** A DENY wins over every ALLOW. */
    private boolean isWithout(String principal, AclOperation operation, ResourcePattern resource) {
        return !has(principal, operation, resource, AclPermissionType.ALLOW)
                || has(principal, operation, resource, AclPermissionType.DENY);
    }

    private boolean has(String principal, AclOperation operation, ResourcePattern resource, AclPermissionType type) {
        return existing.stream()
                .filter(each -> each.entry().permissionType() == type)
                .filter(each -> each.entry().principal().equals(principal)
                        || each.entry().principal().equals(ALL_USERS))
                .filter(each ->
                        type == AclPermissionType.DENY || each.entry().host().equals(ANY))
                .filter(each -> includes(each.entry().operation(), operation, type))
                .anyMatch(each -> covers(each.pattern(), resource));
    }

    private static boolean includes(AclOperation granted, AclOperation required, AclPermissionType type) {
        return granted == required
                || granted == AclOperation.ALL
                || (type == AclPermissionType.ALLOW && implies(granted, required));
    }

    private static boolean implies(AclOperation granted, AclOperation required) {
        return switch (required) {
            case DESCRIBE -> DESCRIBING.contains(granted);
            case DESCRIBE_CONFIGS -> granted == AclOperation.ALTER_CONFIGS;
            default -> false;
        };
    }

    private static boolean covers(ResourcePattern granted, ResourcePattern required) {
        return granted.resourceType() == required.resourceType()
                && switch (granted.patternType()) {
                    case LITERAL ->
                        granted.name().equals(ANY)
                                || (granted.name().equals(required.name())
                                        && required.patternType() == PatternType.LITERAL);
                    case PREFIXED -> required.name().startsWith(granted.name());
                    default -> false;
                };
    }

    private boolean isExcess(AclBinding granted, PrincipalTable table) {
        return table.all().stream()
                .filter(each -> granted.entry().principal().equals(principalPrefix + each.name()))
                .findFirst()
                .map(each -> isBeyond(each, granted))
                .orElseGet(() -> changesInternalTopic(granted));
    }

    private static boolean isBeyond(KafkaPrincipal principal, AclBinding granted) {
        AclOperation operation = granted.entry().operation();
        return operation != AclOperation.DESCRIBE
                && principal.permissions().stream()
                        .filter(each -> each.operations().contains(operation))
                        .noneMatch(each -> covers(each.resource(), granted.pattern()));
    }

    /** Whether a user that is not in the table may change a topic that only Claimstream writes. */
    private static boolean changesInternalTopic(AclBinding granted) {
        return CHANGING.contains(granted.entry().operation())
                && Topics.shipped().withChangelogs().all().stream()
                        .filter(each -> !PUBLIC_TOPICS.contains(each.name()))
                        .anyMatch(each -> covers(
                                granted.pattern(),
                                new ResourcePattern(ResourceType.TOPIC, each.name(), PatternType.LITERAL)));
    }

    private static String text(AclBinding binding) {
        return new KafkaPermission("", binding.pattern(), Set.of(binding.entry().operation())).resourceText();
    }
}
