package dev.claimstream.agent.streams;

import dev.claimstream.agent.Trouble;
import dev.claimstream.kafka.KafkaConnection;
import dev.claimstream.kafka.registry.RegistryException;
import dev.claimstream.kafka.registry.SchemaRegistry;
import dev.claimstream.observability.Health;
import io.micronaut.context.annotation.Context;
import io.micronaut.context.annotation.Requires;
import io.micronaut.context.annotation.Value;
import jakarta.annotation.PostConstruct;
import jakarta.annotation.PreDestroy;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.KafkaException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Says on {@code inventory.v1} when a node's agent is not heard any more, and when it is heard again; once each. Runs beside the allocator,
 * in one instance or several that share the partitions of {@code telemetry.v1}. Its own outage, or Kafka's, silences nobody: after it every
 * node gets the full time again. What it knows is in the log, as the place of its group and in what it said, in one transaction.
 */
@Context
@Requires(property = "claimstream.liveness.enabled", value = "true")
public final class Liveness {
    /** The name under which it speaks. */
    public static final String SOURCE = "liveness";

    private static final Logger LOG = LoggerFactory.getLogger(Liveness.class);
    private static final Duration PAUSE = Duration.ofSeconds(1);

    private final KafkaConnection kafka;
    private final SchemaRegistry registry;
    private final Duration timeout;
    private final String instance;
    private final InstantSource clock = InstantSource.system();
    private final CountDownLatch stopped = new CountDownLatch(1);
    private final Trouble trouble = new Trouble(LOG, "judging which nodes are silent");
    private volatile Health.Condition condition =
            Health.Condition.degraded("judges nobody until it has read what was said");
    private volatile Optional<NodeWatch> watching = Optional.empty();
    private volatile Optional<RuntimeException> failure = Optional.empty();
    private final Thread thread = new Thread(this::run, SOURCE);

    /**
     * @param timeout how long a node may not be heard
     * @param instance names this process for good among those that judge
     * @throws IllegalArgumentException where the timeout is shorter than a second
     */
    Liveness(
            KafkaConnection kafka,
            SchemaRegistry registry,
            @Value("${claimstream.liveness.timeout:30s}") Duration timeout,
            @Value("${claimstream.liveness.instance:liveness-0}") String instance,
            Health health) {
        if (timeout.compareTo(Duration.ofSeconds(1)) < 0) {
            throw new IllegalArgumentException(
                    "claimstream.liveness.timeout is %s: use a second or more, and several heartbeats"
                            .formatted(timeout));
        }
        this.kafka = kafka;
        this.registry = registry;
        this.timeout = timeout;
        this.instance = instance;
        health.watch(SOURCE, this::condition);
    }

    @PostConstruct
    void start() {
        thread.start();
    }

    private Health.Condition condition() {
        if (!isAlive()) {
            return Health.Condition.over("stopped");
        }
        return watching.filter(each -> !each.isConnected()).isPresent()
                ? Health.Condition.degraded("judges nobody: no connection to " + kafka.bootstrap())
                : condition;
    }

    /** Whether it judges, or is about to. */
    public boolean isAlive() {
        return thread.isAlive();
    }

    /** Why it does not go on, where it ended by a fault. */
    public Optional<RuntimeException> failure() {
        return failure;
    }

    private void run() {
        try {
            while (!isStopped(Duration.ZERO)) {
                judge();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException e) {
            LOG.atError().setCause(e).log("nobody judges any more which nodes are silent");
            failure = Optional.of(e);
        }
    }

    /** Until it is stopped or a fault ends it; what was not committed is judged again. */
    private void judge() throws InterruptedException {
        try (var watch = new NodeWatch(kafka, registry, instance, timeout, clock.instant())) {
            watching = Optional.of(watch);
            while (!isStopped(Duration.ZERO)) {
                if (watch.step(clock)) {
                    trouble.worked();
                    condition = Health.Condition.up("nodes with an agent that are heard: %d".formatted(watch.heard()));
                }
            }
        } catch (KafkaException | RegistryException e) {
            watching = Optional.empty();
            trouble.failed(String.valueOf(e.getMessage()));
            condition = Health.Condition.degraded("judges nobody, trying again: " + e.getMessage());
            var unused = isStopped(PAUSE);
        }
    }

    private boolean isStopped(Duration wait) throws InterruptedException {
        return stopped.await(wait.toMillis(), TimeUnit.MILLISECONDS);
    }

    @PreDestroy
    void stop() {
        stopped.countDown();
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
