package dev.claimstream.systemtests.security;

import dev.claimstream.kafka.KafkaConnection;
import dev.claimstream.kafka.security.KafkaPermission;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.CreateTopicsOptions;
import org.apache.kafka.clients.admin.MemberToRemove;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.admin.RemoveMembersFromConsumerGroupOptions;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Requests that a broker answers only if a principal has one permission, and that change nothing. */
final class PermissionProbe implements AutoCloseable {
    /** Larger than any topic accepts: the broker checks the permission first. */
    private static final int TOO_LARGE = 1_200_000;

    private final KafkaConnection kafka;
    private final Admin admin;
    private final KafkaProducer<byte[], byte[]> producer;

    PermissionProbe(KafkaConnection kafka) {
        this.kafka = kafka;
        Properties properties = kafka.properties();
        admin = Admin.create(properties);
        Properties sending = kafka.properties();
        sending.put("enable.idempotence", "false"); // an idempotent producer needs the permission to write any topic
        sending.put("max.request.size", Integer.toString(2 * TOO_LARGE));
        sending.put("max.block.ms", "5000");
        producer = new KafkaProducer<>(sending, new ByteArraySerializer(), new ByteArraySerializer());
    }

    /** The denial of a request; empty if the broker answers it otherwise. */
    Optional<AuthorizationException> denial(KafkaPermission permission, AclOperation operation)
            throws InterruptedException {
        String name = permission.resource().name();
        String probe = permission.resource().patternType() == PatternType.PREFIXED ? name + "-probe" : name;
        return switch (permission.resource().resourceType()) {
            case TOPIC ->
                switch (operation) {
                    case READ ->
                        denial(() -> admin.describeProducers(List.of(new TopicPartition(name, 0)))
                                .all()
                                .get());
                    case WRITE -> write(name);
                    case DESCRIBE ->
                        denial(() -> admin.describeTopics(List.of(name))
                                .allTopicNames()
                                .get());
                    case DESCRIBE_CONFIGS ->
                        denial(() -> admin.describeConfigs(List.of(new ConfigResource(ConfigResource.Type.TOPIC, name)))
                                .all()
                                .get());
                    case CREATE -> create(name);
                    default -> throw new IllegalArgumentException("no request for " + operation);
                };
            case GROUP ->
                operation == AclOperation.DESCRIBE
                        ? denial(() -> admin.listConsumerGroupOffsets(probe)
                                .partitionsToOffsetAndMetadata()
                                .get())
                        : denial(() -> admin.removeMembersFromConsumerGroup(
                                        probe,
                                        new RemoveMembersFromConsumerGroupOptions(
                                                List.of(new MemberToRemove("no-member"))))
                                .all()
                                .get());
            case TRANSACTIONAL_ID -> initialize(probe);
            default -> throw new IllegalArgumentException("no request for " + permission);
        };
    }

    Optional<AuthorizationException> write(String topic) throws InterruptedException {
        return denial(() -> producer.send(new ProducerRecord<>(topic, 0, new byte[1], new byte[TOO_LARGE]))
                .get());
    }

    Optional<AuthorizationException> create(String topic) throws InterruptedException {
        return denial(() -> admin.createTopics(
                        List.of(new NewTopic(topic, 1, (short) 1)), new CreateTopicsOptions().validateOnly(true))
                .all()
                .get());
    }

    private Optional<AuthorizationException> initialize(String transactionalId) throws InterruptedException {
        Properties properties = kafka.properties();
        properties.put("transactional.id", transactionalId);
        try (var transactional =
                new KafkaProducer<>(properties, new ByteArraySerializer(), new ByteArraySerializer())) {
            return denial(() -> {
                transactional.initTransactions();
                return "";
            });
        }
    }

    /** The requests that change or delete a topic, each with its denial; empty if the broker accepts one. */
    Collection<Optional<AuthorizationException>> changes(String topic) throws InterruptedException {
        var resource = new ConfigResource(ConfigResource.Type.TOPIC, topic);
        var change = new AlterConfigOp(new ConfigEntry("retention.ms", "1"), AlterConfigOp.OpType.SET);
        return List.of(
                denial(() -> admin.deleteTopics(List.of(topic)).all().get()),
                denial(() -> admin.incrementalAlterConfigs(Map.of(resource, List.of(change)))
                        .all()
                        .get()),
                denial(() -> admin.createPartitions(Map.of(topic, NewPartitions.increaseTo(2)))
                        .all()
                        .get()),
                denial(() -> admin.deleteRecords(Map.of(new TopicPartition(topic, 0), RecordsToDelete.beforeOffset(0)))
                        .all()
                        .get()));
    }

    /** A request to Kafka. */
    interface KafkaRequest {
        Object send() throws ExecutionException, InterruptedException;
    }

    /** The denial of a request; empty if it succeeds, or fails for another reason. */
    static Optional<AuthorizationException> denial(KafkaRequest request) throws InterruptedException {
        try {
            Object unused = request.send();
            return Optional.empty();
        } catch (ExecutionException | KafkaException e) {
            for (Throwable each = e; each != null; each = each.getCause()) {
                if (each instanceof AuthorizationException denied) {
                    return Optional.of(denied);
                }
            }
            return Optional.empty();
        }
    }

    @Override
    public void close() {
        producer.close();
        admin.close();
    }
}
