package dev.claimstream.cli.standalone;

import dev.claimstream.agent.streams.AgentPublisher;
import dev.claimstream.cli.folder.Endpoint;
import dev.claimstream.kafka.KafkaConnection;
import dev.claimstream.kafka.registry.RestRegistry;
import dev.claimstream.wire.Telemetry;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Publishes the samples of a file again and again. They are heartbeats of no node of the cluster, so that no node is silent when they stop.
 */
final class SamplePublisher implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(SamplePublisher.class);
    private static final Duration INTERVAL = Duration.ofSeconds(5);

    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(2);

    /** Stands for the node whose agent sends the samples. */
    private static final String SENDER = "telemetry-file";

    private final SampleFile samples;
    private final AgentPublisher publisher;
    private final ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().name(SENDER).daemon().factory());

    private SamplePublisher(SampleFile samples, Endpoint up) {
        this.samples = samples;
        this.publisher = new AgentPublisher(
                KafkaConnection.plain(up.bootstrap()),
                new RestRegistry(RestRegistry.RegistrySettings.of(up.registry())),
                SENDER,
                System.currentTimeMillis());
    }

    static SamplePublisher start(SampleFile samples, Endpoint up) {
        var started = new SamplePublisher(samples, up);
        var unused = started.clock.scheduleWithFixedDelay(started::publish, 0, INTERVAL.toSeconds(), TimeUnit.SECONDS);
        return started;
    }

    private void publish() {
        try {
            Instant now = Instant.now().truncatedTo(ChronoUnit.MICROS);
            for (Telemetry part : samples.telemetry(SENDER, now)) {
                if (!publisher.publish(Optional.empty(), part)) {
                    return; // the publisher has logged why, and the next turn has all samples again
                }
            }
        } catch (RuntimeException e) {
            LOG.atWarn().addKeyValue("cause", e).log("telemetry of the file not published; retrying");
            LOG.atDebug().setCause(e).log("telemetry of the file not published");
        }
    }

    @Override
    public void close() {
        clock.shutdownNow();
        try {
            if (clock.awaitTermination(CLOSE_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)) {
                publisher.close();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
