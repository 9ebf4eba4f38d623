package dev.claimstream.kafka.examination;

import dev.claimstream.kafka.KafkaConnection;
import dev.claimstream.kafka.TopicSetup;
import dev.claimstream.kafka.Topics;
import dev.claimstream.kafka.TopicsException;
import dev.claimstream.kafka.security.AclCommands;
import dev.claimstream.kafka.security.KafkaPermission;
import dev.claimstream.kafka.security.KafkaPrincipal;
import dev.claimstream.kafka.security.PrincipalTable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.DescribeConsumerGroupsOptions;
import org.apache.kafka.clients.admin.DescribeTopicsOptions;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartitionInfo;
import org.apache.kafka.common.acl.AclBindingFilter;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.GroupIdNotFoundException;
import org.apache.kafka.common.errors.SecurityDisabledException;
import org.apache.kafka.common.errors.TransactionalIdNotFoundException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.quota.ClientQuotaEntity;
import org.apache.kafka.common.quota.ClientQuotaFilter;
import org.apache.kafka.common.quota.ClientQuotaFilterComponent;
import org.apache.kafka.common.resource.ResourceType;

/**
 * Reads from a Kafka cluster what {@code doctor} evaluates. Every request is a read.
 *
 * <p>Methods throw {@link TopicsException} if a broker does not respond or denies the request.
 */
public final class KafkaExamination implements AutoCloseable {
    /** Whether a request for an unknown topic creates it. */
    public static final String AUTO_CREATION = "auto.create.topics.enable";

    /** Whether every user may use a resource without ACLs. */
    public static final String OPEN_WITHOUT_ACL = "allow.everyone.if.no.acl.found";

    private final Admin admin;
    private final TopicSetup requests;

    private KafkaExamination(Admin admin, Duration timeout) {
        this.admin = admin;
        requests = new TopicSetup(admin, timeout);
    }

    /**
     * Opens a client; sends no request yet.
     *
     * @param timeout timeout per request
     */
    public static KafkaExamination of(KafkaConnection kafka, Duration timeout) {
        return new KafkaExamination(TopicSetup.admin(kafka, timeout), timeout);
    }

    /** The number of brokers. */
    public int brokers() {
        return requests.await("listing the brokers", admin.describeCluster().nodes())
                .size();
    }

    /** The existing topics of the contracts, ordered by name. */
    public List<TopicFacts> topics() {
        SortedMap<String, TopicDescription> found = describeTopics(false);
        if (found.isEmpty()) {
            return List.of();
        }
        Map<ConfigResource, Config> settings = requests.await(
                "reading the settings of topics",
                admin.describeConfigs(found.keySet().stream()
                                .map(each -> new ConfigResource(ConfigResource.Type.TOPIC, each))
                                .toList())
                        .all());
        SortedMap<String, Integer> minInSync = new TreeMap<>();
        settings.forEach((topic, values) -> minInSync.put(
                topic.name(),
                Integer.parseInt(Optional.ofNullable(values.get(TopicConfig.MIN_IN_SYNC_REPLICAS_CONFIG))
                        .map(ConfigEntry::value)
                        .orElse("1"))));
        return found.values().stream()
                .map(each -> facts(each, minInSync.getOrDefault(each.name(), 1)))
                .toList();
    }

    private static TopicFacts facts(TopicDescription topic, int minInSync) {
        List<TopicPartitionInfo> partitions = topic.partitions();
        return new TopicFacts(
                topic.name(),
                partitions.stream()
                        .mapToInt(each -> each.replicas().size())
                        .min()
                        .orElse(0),
                minInSync,
                partitions.stream()
                        .filter(each -> each.isr().size() < each.replicas().size())
                        .count(),
                partitions.stream()
                        .filter(each -> each.isr().size() < minInSync)
                        .count());
    }

    /** Describes the topics of the contracts that exist and that this user may describe. */
    private SortedMap<String, TopicDescription> describeTopics(boolean withOperations) {
        SortedMap<String, TopicDescription> found = new TreeMap<>();
        admin.describeTopics(
                        Topics.shipped().withChangelogs().all().stream()
                                .map(each -> each.name())
                                .toList(),
                        new DescribeTopicsOptions().includeAuthorizedOperations(withOperations))
                .topicNameValues()
                .forEach((name, future) -> {
                    try {
                        found.put(name, requests.await("describing topic " + name, future));
                    } catch (TopicsException e) {
                        if (!(e.getCause() instanceof UnknownTopicOrPartitionException)
                                && !(withOperations && e.getCause() instanceof AuthorizationException)) {
                            throw e;
                        }
                    }
                });
        return found;
    }

    /** The values of {@link #AUTO_CREATION} and {@link #OPEN_WITHOUT_ACL}, as far as the brokers have them. */
    public SortedMap<String, String> brokerSettings() {
        String broker = requests.await(
                        "listing the brokers", admin.describeCluster().nodes())
                .iterator()
                .next()
                .idString();
        var resource = new ConfigResource(ConfigResource.Type.BROKER, broker);
        SortedMap<String, String> settings = new TreeMap<>();
        for (Config config : requests.await(
                        "reading the settings of broker " + broker,
                        admin.describeConfigs(List.of(resource)).all())
                .values()) {
            for (String name : List.of(AUTO_CREATION, OPEN_WITHOUT_ACL)) {
                Optional.ofNullable(config.get(name))
                        .map(ConfigEntry::value)
                        .ifPresent(value -> settings.put(name, value));
            }
        }
        return settings;
    }

    /**
     * Compares all ACLs with the table of permissions.
     *
     * @param principalPrefix text before the name of each principal, for example {@code User:claimstream-}
     */
    public PermissionFacts permissions(String principalPrefix) {
        try {
            return new AclComparison(
                            principalPrefix,
                            requests.await(
                                    "reading the ACLs",
                                    admin.describeAcls(AclBindingFilter.ANY).values()))
                    .with(PrincipalTable.shipped());
        } catch (TopicsException e) {
            if (e.getCause() instanceof SecurityDisabledException) {
                return new PermissionFacts.NoAuthorizer();
            }
            if (e.getCause() instanceof AuthorizationException denial) {
                return new PermissionFacts.Denied(String.valueOf(denial.getMessage()));
            }
            throw e;
        }
    }

    /**
     * The quotas of the table that users lack, one text each. Any value of a quota, and a default of all users, counts.
     *
     * @param principalPrefix text before the name of each principal, for example {@code User:claimstream-}
     */
    public List<String> missingQuotas(String principalPrefix) {
        Map<ClientQuotaEntity, Map<String, Double>> quotas = requests.await(
                "reading the quotas",
                admin.describeClientQuotas(ClientQuotaFilter.contains(
                                List.of(ClientQuotaFilterComponent.ofEntityType(ClientQuotaEntity.USER))))
                        .entities());
        List<String> missing = new ArrayList<>();
        for (KafkaPrincipal each : PrincipalTable.shipped().all()) {
            String user = principalPrefix.replaceFirst("^User:", "") + each.name();
            SortedSet<String> names = new TreeSet<>(each.quotas().keySet());
            quotas.forEach((entity, limits) -> {
                String name = entity.entries().get(ClientQuotaEntity.USER);
                if (entity.entries().size() == 1 && (name == null || name.equals(user))) {
                    names.removeAll(limits.keySet());
                }
            });
            names.forEach(name -> missing.add("User:%s has no %s".formatted(user, name)));
        }
        return missing;
    }

    /**
     * What the current user lacks of the permissions of a principal, one text each. Topics that do not exist are not
     * reported. Kafka does not tell about a group or a TransactionalId more than whether it may be described.
     */
    public List<String> ownMissing(KafkaPrincipal principal) {
        SortedMap<String, TopicDescription> topics = describeTopics(true);
        Set<String> existing = existingTopics(topics.keySet());
        List<String> missing = new ArrayList<>();
        for (KafkaPermission each : principal.permissions()) {
            ResourceType type = each.resource().resourceType();
            if (type == ResourceType.TOPIC) {
                if (existing.contains(each.resource().name())) {
                    Set<AclOperation> own = Optional.ofNullable(
                                    topics.get(each.resource().name()))
                            .map(TopicDescription::authorizedOperations)
                            .orElse(Set.of());
                    each.operations().stream()
                            .filter(operation -> operation != AclOperation.CREATE && !own.contains(operation))
                            .forEach(operation -> missing.add(text(each, operation)));
                }
            } else if (isDenied(type, each.resource().name())) {
                each.operations().forEach(operation -> missing.add(text(each, operation)));
            }
        }
        return missing;
    }

    private static String text(KafkaPermission permission, AclOperation operation) {
        return "%s on %s".formatted(AclCommands.operationText(operation), permission.resourceText());
    }

    /** The topics that may be described, and those that may not: Kafka does not tell whether the latter exist. */
    private Set<String> existingTopics(Collection<String> described) {
        Set<String> existing = new TreeSet<>(described);
        admin.describeTopics(Topics.shipped().withChangelogs().all().stream()
                        .map(each -> each.name())
                        .filter(each -> !described.contains(each))
                        .toList())
                .topicNameValues()
                .forEach((name, future) -> {
                    if (isDenied("describing topic " + name, future)) {
                        existing.add(name);
                    }
                });
        return existing;
    }

    private boolean isDenied(ResourceType type, String name) {
        return type == ResourceType.GROUP
                ? isDenied(
                        "describing group " + name,
                        admin.describeConsumerGroups(List.of(name), new DescribeConsumerGroupsOptions())
                                .all())
                : isDenied(
                        "describing TransactionalId " + name,
                        admin.describeTransactions(List.of(name)).description(name));
    }

    private boolean isDenied(String what, KafkaFuture<?> future) {
        try {
            Object unused = requests.await(what, future);
            return false;
        } catch (TopicsException e) {
            return switch (e.getCause()) {
                case AuthorizationException _ -> true;
                case GroupIdNotFoundException _ -> false;
                case TransactionalIdNotFoundException _ -> false;
                case UnknownTopicOrPartitionException _ -> false;
                case null, default -> throw e;
            };
        }
    }

    @Override
    public void close() {
        admin.close(Duration.ZERO);
    }
}
