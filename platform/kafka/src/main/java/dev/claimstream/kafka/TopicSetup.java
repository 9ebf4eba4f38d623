package dev.claimstream.kafka;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/** Creates and checks the topics of the contracts. Idempotent, and safe for several processes at once. */
public final class TopicSetup {
    private final Admin admin;
    private final Duration timeout;

    /**
     * Uses this client.
     *
     * @param timeout timeout per request
     */
    public TopicSetup(Admin admin, Duration timeout) {
        this.admin = admin;
        this.timeout = timeout;
    }

    /**
     * Creates missing topics with the broker's default replication, and checks the others.
     *
     * @return names of the created topics
     * @throws TopicsException if partitions or cleanup policy of a topic differ, or the cluster does not respond
     */
    public List<String> createMissing(Topics topics) {
        List<ExistingTopic> found = find(topics);
        check(found);
        Set<Topic> existing = found.stream().map(ExistingTopic::topic).collect(Collectors.toSet());
        return create(
                topics.all().stream().filter(topic -> !existing.contains(topic)).toList());
    }

    /**
     * The same with a client of its own; error messages also name the brokers.
     *
     * @param timeout timeout per request
     * @return names of the created topics
     * @throws TopicsException if partitions or cleanup policy of a topic differ, or the cluster does not respond
     */
    public static List<String> createMissing(KafkaConnection kafka, Topics topics, Duration timeout) {
        Admin admin = admin(kafka, timeout);
        try (admin) {
            return new TopicSetup(admin, timeout).createMissing(topics);
        } catch (TopicsException e) {
            throw e.with(kafka);
        }
    }

    /**
     * Checks a cluster without changing it.
     *
     * @param timeout timeout per request
     * @return names of the missing topics
     * @throws TopicsException if partitions or cleanup policy of a topic differ, or the cluster does not respond
     */
    public static List<String> missing(KafkaConnection kafka, Topics topics, Duration timeout) {
        try (var admin = admin(kafka, timeout)) {
            return new TopicSetup(admin, timeout).missing(topics);
        } catch (TopicsException e) {
            throw AuthorizationFault.isCauseOf(e) ? e.with(kafka) : e;
        }
    }

    /**
     * Checks the shipped topics, for the number of cells in the cluster.
     *
     * @param timeout timeout per request
     * @return names of the missing topics
     * @throws TopicsException if partitions or cleanup policy of a topic differ, or the cluster does not respond
     */
    public static List<String> missing(KafkaConnection kafka, Duration timeout) {
        try (var admin = admin(kafka, timeout)) {
            var setup = new TopicSetup(admin, timeout);
            int cells = setup.describe(List.of(Topics.CELLS_IN))
                    .mapToInt(each -> each.partitions().size())
                    .findFirst()
                    .orElse(1);
            return setup.missing(Topics.shipped().forCells(cells));
        } catch (TopicsException e) {
            throw AuthorizationFault.isCauseOf(e) ? e.with(kafka) : e;
        }
    }

    private List<String> missing(Topics topics) {
        List<ExistingTopic> found = find(topics);
        check(found);
        return topics.all().stream()
                .filter(topic -> found.stream().noneMatch(each -> each.topic().equals(topic)))
                .map(Topic::name)
                .toList();
    }

    /** Creates a client with this timeout per request. */
    public static Admin admin(KafkaConnection kafka, Duration timeout) {
        Properties properties = kafka.properties();
        properties.put(AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, (int) timeout.toMillis());
        properties.put(AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG, (int) timeout.toMillis());
        try {
            return Admin.create(properties);
        } catch (KafkaException e) { // for example an unknown host name
            throw TopicsException.requestFailed("connecting to " + kafka.bootstrap(), e.getCause());
        }
    }

    private List<ExistingTopic> find(Topics topics) {
        return describe(topics.all().stream().map(Topic::name).toList())
                .map(each -> new ExistingTopic(
                        topics.get(each.name()), each.partitions().size()))
                .toList();
    }

    /** Describes those of the topics that exist. */
    Stream<TopicDescription> describe(List<String> names) {
        return admin.describeTopics(names).topicNameValues().entrySet().stream()
                .flatMap(each -> description(each.getKey(), each.getValue()).stream());
    }

    private Optional<TopicDescription> description(String topic, KafkaFuture<TopicDescription> future) {
        try {
            return Optional.of(future.get(timeout.toMillis(), TimeUnit.MILLISECONDS));
        } catch (ExecutionException e) {
            if (e.getCause() instanceof UnknownTopicOrPartitionException) {
                return Optional.empty();
            }
            throw TopicsException.requestFailed("describing topic " + topic, e.getCause());
        } catch (TimeoutException e) {
            throw TopicsException.requestFailed("describing topic " + topic, e);
        } catch (InterruptedException e) {
            throw TopicsException.interrupted("describing topic " + topic, e);
        }
    }

    private void check(List<ExistingTopic> found) {
        if (found.isEmpty()) {
            return;
        }
        Map<String, String> cleanups = cleanups(found);
        List<String> differences = found.stream()
                .flatMap(each ->
                        each.differences(cleanups.getOrDefault(each.topic().name(), "unknown")))
                .toList();
        if (!differences.isEmpty()) {
            throw TopicsException.mismatch(differences);
        }
    }

    private Map<String, String> cleanups(List<ExistingTopic> found) {
        List<ConfigResource> resources = found.stream()
                .map(each -> new ConfigResource(
                        ConfigResource.Type.TOPIC, each.topic().name()))
                .toList();
        return await(
                        "reading the settings of topics",
                        admin.describeConfigs(resources).all())
                .entrySet()
                .stream()
                .collect(Collectors.toMap(each -> each.getKey().name(), each -> cleanup(each.getValue())));
    }

    private static String cleanup(Config config) {
        return config.entries().stream()
                .filter(entry -> entry.name().equals(TopicConfig.CLEANUP_POLICY_CONFIG))
                .map(ConfigEntry::value)
                .findFirst()
                .orElse("unknown");
    }

    private List<String> create(List<Topic> missing) {
        List<String> created = new ArrayList<>();
        admin.createTopics(missing.stream().map(TopicSetup::newTopic).toList())
                .values()
                .forEach((name, done) -> {
                    if (created(name, done)) {
                        created.add(name);
                    }
                });
        created.sort(null);
        return created;
    }

    private boolean created(String topic, KafkaFuture<Void> done) {
        try {
            done.get(timeout.toMillis(), TimeUnit.MILLISECONDS);
            return true;
        } catch (ExecutionException e) {
            if (e.getCause() instanceof TopicExistsException) {
                return false; // another process has created it
            }
            throw TopicsException.requestFailed("creating topic " + topic, e.getCause());
        } catch (TimeoutException e) {
            throw TopicsException.requestFailed("creating topic " + topic, e);
        } catch (InterruptedException e) {
            throw TopicsException.interrupted("creating topic " + topic, e);
        }
    }

    /**
     * Waits for the response to a request; the text names the request in an error.
     *
     * @throws TopicsException if the request fails; its cause is the error of Kafka
     */
    public <T> T await(String what, KafkaFuture<T> future) {
        try {
            return future.get(timeout.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            throw TopicsException.requestFailed(what, e.getCause());
        } catch (TimeoutException e) {
            throw TopicsException.requestFailed(what, e);
        } catch (InterruptedException e) {
            throw TopicsException.interrupted(what, e);
        }
    }

    private static NewTopic newTopic(Topic topic) {
        return new NewTopic(topic.name(), Optional.of(topic.partitions()), Optional.empty()).configs(topic.config());
    }

    private record ExistingTopic(Topic topic, int partitions) {
        Stream<String> differences(String cleanup) {
            Stream<String> count = partitions == topic.partitions()
                    ? Stream.of()
                    : Stream.of("topic %s has %d partitions, not %d"
                            .formatted(topic.name(), partitions, topic.partitions()));
            Stream<String> policy = cleanup.equals(topic.cleanup())
                    ? Stream.of()
                    : Stream.of(
                            "topic %s has cleanup.policy %s, not %s".formatted(topic.name(), cleanup, topic.cleanup()));
            return Stream.concat(count, policy);
        }
    }
}
