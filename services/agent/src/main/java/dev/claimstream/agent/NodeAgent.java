package dev.claimstream.agent;

import dev.claimstream.agent.streams.AgentPublisher;
import dev.claimstream.kafka.KafkaConnection;
import dev.claimstream.kafka.registry.SchemaRegistry;
import dev.claimstream.observability.Health;
import io.micronaut.context.annotation.Context;
import io.micronaut.context.annotation.Requires;
import jakarta.annotation.PostConstruct;
import jakarta.annotation.PreDestroy;
import java.time.InstantSource;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the agent of a real node in a thread of its own, once per heartbeat.
 *
 * <p>External faults are logged and retried. An unexpected exception ends the thread, which ends the process.
 */
@Context
@Requires(property = "claimstream.agent.mode", value = "node")
@Requires(missingProperty = "claimstream.agent.files")
@Requires(property = "claimstream.agent.enabled", notEquals = "false")
public final class NodeAgent {
    /** Prefix of the name of this source in records; the node name follows. */
    public static final String SOURCE_PREFIX = "agent:";

    private static final Logger LOG = LoggerFactory.getLogger(NodeAgent.class);

    private final KafkaConnection kafka;
    private final AgentSettings settings;
    private final AgentPublisher publisher;
    private final NodeInspector inspector;
    private final InstantSource clock = InstantSource.system();
    private volatile Health.Condition condition = Health.Condition.down("has published nothing yet");
    private final CountDownLatch stopped = new CountDownLatch(1);
    private final Thread thread = new Thread(this::run, "agent");

    NodeAgent(AgentConfig config, KafkaConnection kafka, SchemaRegistry registry, Health health) {
        this.kafka = kafka;
        settings = AgentSettings.of(config);
        long start = clock.millis();
        publisher = new AgentPublisher(kafka, registry, SOURCE_PREFIX + settings.node(), start);
        inspector = new NodeInspector(settings, start);
        health.register("agent", this::condition);
    }

    private Health.Condition condition() {
        Health.Condition last = condition;
        return publisher.isDisconnected()
                ? new Health.Condition(
                        last.status() == Health.HealthStatus.DOWN
                                ? Health.HealthStatus.DOWN
                                : Health.HealthStatus.DEGRADED,
                        "no connection to %s; node %s is published once connected"
                                .formatted(kafka.bootstrap(), settings.node()),
                        false)
                : last;
    }

    @PostConstruct
    void start() {
        thread.start();
    }

    private void run() {
        LOG.atInfo().addKeyValue("node", settings.node()).log("the agent starts");
        try (inspector;
                publisher) {
            inspector.awaitExporters(clock.instant());
            do {
                NodeInspector.NodeReport report = inspector.inspect(clock.instant());
                condition = publisher.publish(report.slices(), report.telemetry())
                        ? Health.Condition.up("published node " + settings.node())
                        : Health.Condition.degraded(
                                publisher.denial().orElse("no response from Kafka or the schema registry")
                                        + "; retrying");
            } while (!stopped.await(settings.heartbeatEvery().toMillis(), TimeUnit.MILLISECONDS));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
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
