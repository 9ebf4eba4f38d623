package dev.claimstream.console.streams;

import dev.claimstream.console.ClusterView;
import dev.claimstream.console.ConsumerStatus;
import dev.claimstream.kafka.AuthorizationFault;
import dev.claimstream.kafka.ConsumerSettings;
import dev.claimstream.kafka.KafkaConnection;
import dev.claimstream.kafka.Topics;
import dev.claimstream.kafka.registry.RegistryException;
import dev.claimstream.kafka.registry.SchemaRegistry;
import io.micronaut.context.annotation.Context;
import io.micronaut.context.annotation.Requires;
import io.micronaut.context.annotation.Value;
import jakarta.annotation.PostConstruct;
import jakarta.annotation.PreDestroy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.WakeupException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Consumes the committed records of the topics from their beginning and applies them to {@link ClusterView}.
 * It stores no offsets: each start reads everything again. It retries if a broker or the registry does not respond, or topics are
 * missing.
 */
@Context
@Requires(property = "claimstream.console.enabled", notEquals = "false")
public final class TopicReader implements ConsumerStatus {
    private static final Logger LOG = LoggerFactory.getLogger(TopicReader.class);
    private static final Duration CATCH_UP_POLL = Duration.ofMillis(200);
    private static final Duration RETRY_BACKOFF = Duration.ofSeconds(1);
    /** Collects records under load, because a fetch per record would cost more than processing it. */
    private static final Duration BATCH_DELAY = Duration.ofMillis(50);

    private static final List<String> TOPICS = List.of(
            Topics.INVENTORY,
            Topics.CLAIMS,
            Topics.DECISIONS,
            Topics.EXPLANATIONS,
            Topics.COMPARISONS,
            Topics.OUTCOMES,
            Topics.TELEMETRY);

    private final KafkaConnection kafka;
    private final Duration requestTimeout;
    private final KafkaConsumer<byte[], byte[]> consumer;
    private final RecordApplier applier;
    private final Map<String, Integer> partitionsOfTopic = new HashMap<>();
    private final Thread thread = new Thread(this::run, "console-reader");
    private final CountDownLatch caughtUp = new CountDownLatch(1);
    private final CountDownLatch stopped = new CountDownLatch(1);
    private Optional<Map<TopicPartition, Long>> endOffsets = Optional.empty();
    private volatile Optional<String> problem = Optional.empty();
    private volatile boolean hasEnded;

    /** Creates the consumer, with a timeout after which a broker request is retried. */
    TopicReader(
            KafkaConnection kafka,
            SchemaRegistry registry,
            ClusterView clusterView,
            @Value("${claimstream.console.answer-within:10s}") Duration requestTimeout) {
        this.kafka = kafka;
        this.requestTimeout = requestTimeout;
        applier = new RecordApplier(registry, clusterView);
        consumer = new KafkaConsumer<>(
                ConsumerSettings.of(kafka, "console")
                        .withFetchWait(ConsumerSettings.IDLE)
                        .properties(),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer());
    }

    @PostConstruct
    void start() {
        thread.start();
    }

    @Override
    public boolean isAlive() {
        return !hasEnded;
    }

    @Override
    public boolean isCaughtUp() {
        return caughtUp.getCount() == 0;
    }

    @Override
    public Optional<String> problem() {
        return problem.or(() -> KafkaConnection.isOpen(consumer.metrics())
                ? Optional.empty()
                : Optional.of("no connection to " + kafka.bootstrap()));
    }

    private void run() {
        try {
            while (stopped.getCount() > 0) {
                step();
            }
        } catch (WakeupException e) {
            LOG.atDebug().log("the console's reader stops");
        } catch (RuntimeException e) {
            LOG.atError().setCause(e).log("the console's reader stops");
        } finally {
            consumer.close(CloseOptions.timeout(ConsumerSettings.CLOSE_WITHIN));
            hasEnded = true;
        }
    }

    private void step() {
        try {
            if (endOffsets.isPresent()) {
                read(endOffsets.get());
            } else {
                assignPartitions();
            }
        } catch (RetriableException e) {
            report("%s does not respond: %s".formatted(kafka.bootstrap(), e.getMessage()));
        } catch (AuthorizationException e) {
            report(AuthorizationFault.textOr(e, kafka));
        }
    }

    private void report(String reason) {
        if (!problem.equals(Optional.of(reason))) {
            LOG.atWarn().addKeyValue("why", reason).log("the topics cannot be read; retrying");
        }
        problem = Optional.of(reason);
        pause(RETRY_BACKOFF);
    }

    /** Assigns all topics at once after all of them exist. A subset would give a state that never existed. */
    private void assignPartitions() {
        List<TopicPartition> partitions = new ArrayList<>();
        for (String topic : TOPICS) {
            var all = consumer.partitionsFor(topic, requestTimeout);
            partitionsOfTopic.put(topic, all.size());
            all.forEach(each -> partitions.add(new TopicPartition(topic, each.partition())));
        }
        List<String> missing = TOPICS.stream()
                .filter(topic -> partitionsOfTopic.getOrDefault(topic, 0) == 0)
                .toList();
        if (missing.isEmpty()) {
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            endOffsets = Optional.of(consumer.endOffsets(partitions, requestTimeout));
            problem = Optional.empty();
        } else {
            problem = Optional.of(
                    "missing topics (create them with 'claimstream topics'): " + String.join(", ", missing));
            pause(RETRY_BACKOFF);
        }
    }

    private void read(Map<TopicPartition, Long> ends) {
        var records = consumer.poll(isCaughtUp() ? ConsumerSettings.IDLE : CATCH_UP_POLL);
        applyAll(records);
        if (!isCaughtUp() && hasReached(ends)) {
            caughtUp.countDown();
        }
        problem = Optional.empty();
        if (isCaughtUp() && !records.isEmpty()) {
            pause(BATCH_DELAY);
        }
    }

    private boolean hasReached(Map<TopicPartition, Long> ends) {
        return ends.entrySet().stream()
                .allMatch(end -> consumer.position(end.getKey(), requestTimeout) >= end.getValue());
    }

    /** Applies the records in order. If the registry does not respond, it retries the record. */
    private void applyAll(ConsumerRecords<byte[], byte[]> records) {
        for (TopicPartition partition : records.partitions()) {
            for (ConsumerRecord<byte[], byte[]> record : records.records(partition)) {
                while (!isApplied(record) && stopped.getCount() > 0) {
                    pause(RETRY_BACKOFF);
                }
            }
        }
    }

    private boolean isApplied(ConsumerRecord<byte[], byte[]> record) {
        try {
            applier.apply(record, partitionsOfTopic.getOrDefault(record.topic(), 1));
            return true;
        } catch (RegistryException e) {
            LOG.atWarn().addKeyValue("topic", record.topic()).setCause(e).log("the registry does not respond");
            problem = Optional.of("the registry does not respond: " + e.getMessage());
            return false;
        }
    }

    private void pause(Duration time) {
        try {
            boolean unused = stopped.await(time.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            stopped.countDown();
        }
    }

    @PreDestroy
    void stop() {
        stopped.countDown();
        consumer.wakeup();
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
