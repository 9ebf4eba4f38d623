package dev.claimstream.kafka.security;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourceType;

/**
 * The commands of Kafka's own tools that grant the permissions of {@link PrincipalTable} and set the quotas.
 *
 * @param bootstrap value of {@code --bootstrap-server}
 * @param principalPrefix text before the name of each principal, for example {@code User:claimstream-}
 */
public record AclCommands(String bootstrap, String principalPrefix) {
    private static final String USER = "User:";

    public AclCommands {
        if (!principalPrefix.startsWith(USER)) {
            throw new IllegalArgumentException(
                    "%s: the prefix of a principal begins with %s".formatted(principalPrefix, USER));
        }
    }

    private record AclShape(ResourceType type, PatternType pattern, Set<AclOperation> operations) {}

    /** The lines for a principal, the first of them a comment. They can be repeated without effect. */
    public List<String> of(KafkaPrincipal principal) {
        List<String> lines = new ArrayList<>();
        lines.add("# %s: %s".formatted(principal.name(), principal.description()));
        Map<AclShape, List<String>> names = new LinkedHashMap<>();
        principal
                .permissions()
                .forEach(each -> names.computeIfAbsent(
                                new AclShape(
                                        each.resource().resourceType(),
                                        each.resource().patternType(),
                                        each.operations()),
                                _ -> new ArrayList<>())
                        .add(each.resource().name()));
        names.forEach((kind, all) -> lines.add(acls(principal, kind, all)));
        if (!principal.quotas().isEmpty()) {
            lines.add(quotas(principal));
        }
        return lines;
    }

    private String acls(KafkaPrincipal principal, AclShape kind, List<String> names) {
        String operations = kind.operations().stream()
                .map(each -> " --operation " + operationText(each))
                .collect(Collectors.joining());
        String resources = names.stream()
                .map(each -> " --%s '%s'".formatted(option(kind.type()), each))
                .collect(Collectors.joining());
        return "kafka-acls --bootstrap-server %s --command-config admin.properties --add --allow-principal '%s'%s%s%s"
                .formatted(
                        bootstrap,
                        principalPrefix + principal.name(),
                        operations,
                        kind.pattern() == PatternType.PREFIXED ? " --resource-pattern-type prefixed" : "",
                        resources);
    }

    private String quotas(KafkaPrincipal principal) {
        String all = principal.quotas().entrySet().stream()
                .map(each -> each.getKey() + "=" + each.getValue())
                .collect(Collectors.joining(","));
        return "kafka-configs --bootstrap-server %s --command-config admin.properties --alter --add-config '%s' --entity-type users --entity-name '%s'"
                .formatted(bootstrap, all, principalPrefix.substring(USER.length()) + principal.name());
    }

    /** An operation as Kafka's tools and Strimzi name it, for example {@code DescribeConfigs}. */
    public static String operationText(AclOperation operation) {
        StringBuilder text = new StringBuilder();
        for (String word : operation.name().split("_", -1)) {
            text.append(word.charAt(0)).append(word.substring(1).toLowerCase(Locale.ROOT));
        }
        return text.toString();
    }

    private static String option(ResourceType type) {
        return switch (type) {
            case TOPIC -> "topic";
            case GROUP -> "group";
            case TRANSACTIONAL_ID -> "transactional-id";
            default -> throw new IllegalArgumentException("no option for " + type);
        };
    }
}
