package dev.claimstream.agent.streams;

import dev.claimstream.agent.FailureTracker;
import dev.claimstream.kafka.AuthorizationFault;
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
import org.apache.kafka.common.errors.WakeupException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Publishes to {@code inventory.v1} when a node agent becomes silent and when its heartbeats return, once each.
 *
 * <p>Runs beside the allocator, in one or several instances that share the partitions of {@code telemetry.v1}. An
 * outage of this service or of Kafka makes no node silent: afterwards every node has the full timeout again. The state
 * is in the log only: committed offsets and published records, in one transaction. Public methods are safe for use by
 * any thread.
 */
@Context
@Requires(property = "claimstream.liveness.enabled", value = "true")
public final class LivenessMonitor {
    /** Name of this source in records. */
    public static final String SOURCE = "liveness";

    private static final Logger LOG = LoggerFactory.getLogger(LivenessMonitor.class);
    private static final Duration PAUSE = Duration.ofSeconds(1);

    private final KafkaConnection kafka;
    private final SchemaRegistry registry;
    private final Duration timeout;
    private final String instance;
    private final InstantSource clock = InstantSource.system();
    private final CountDownLatch stopped = new CountDownLatch(1);
    private final FailureTracker failureTracker = new FailureTracker(LOG, "liveness checks");
    private volatile Health.Condition condition =
            Health.Condition.degraded("liveness checks paused until the heartbeats are read");
    private volatile Optional<HeartbeatConsumer> consumer = Optional.empty();
    private volatile Optional<RuntimeException> failure = Optional.empty();
    private final Thread thread = new Thread(this::run, SOURCE);

    /**
     * @param timeout time without a heartbeat after which a node is silent
     * @param instance stable and unique name of this instance; it becomes the transactional id
     * @throws IllegalArgumentException if the timeout is shorter than one second
     */
    LivenessMonitor(
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
        health.register(SOURCE, this::condition);
    }

    @PostConstruct
    void start() {
        thread.start();
    }

    private Health.Condition condition() {
        if (!isAlive()) {
            return Health.Condition.terminal("stopped");
        }
        return consumer.filter(each -> !each.isConnected()).isPresent()
                ? Health.Condition.degraded("liveness checks paused: no connection to " + kafka.bootstrap())
                : condition;
    }

    /** Whether the service runs. */
    public boolean isAlive() {
        return thread.isAlive();
    }

    /** Returns the fault that stopped the service. */
    public Optional<RuntimeException> failure() {
        return failure;
    }

    private void run() {
        try {
            while (!isStopped(Duration.ZERO)) {
                monitor();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException e) {
            LOG.atError().setCause(e).log("liveness checks stopped");
            failure = Optional.of(e);
        }
    }

    /** Consumes until the service is stopped or a fault occurs; uncommitted results are computed again. */
    private void monitor() throws InterruptedException {
        try (var watch = new HeartbeatConsumer(
                kafka, registry, instance, timeout, HeartbeatConsumer.WAIT_MAX, clock.instant())) {
            consumer = Optional.of(watch);
            while (!isStopped(Duration.ZERO)) {
                if (watch.step(clock)) {
                    failureTracker.recordSuccess();
                    condition = Health.Condition.up("nodes with live agents: %d".formatted(watch.liveNodes()));
                }
            }
        } catch (WakeupException e) {
            LOG.atDebug().log("liveness checks stop");
        } catch (KafkaException | RegistryException e) {
            consumer = Optional.empty();
            String reason = AuthorizationFault.textOr(e, kafka);
            failureTracker.recordFailure(reason);
            condition = Health.Condition.degraded("liveness checks paused, retrying: " + reason);
            var unused = isStopped(PAUSE);
        }
    }

    private boolean isStopped(Duration wait) throws InterruptedException {
        return stopped.await(wait.toMillis(), TimeUnit.MILLISECONDS);
    }

    @PreDestroy
    void stop() {
        stopped.countDown();
        consumer.ifPresent(HeartbeatConsumer::stop);
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
