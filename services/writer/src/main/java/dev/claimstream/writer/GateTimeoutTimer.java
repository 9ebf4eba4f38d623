package dev.claimstream.writer;

import dev.claimstream.kubernetes.ClaimStatusClient;
import dev.claimstream.kubernetes.PodGates;
import io.micronaut.context.annotation.Requires;
import io.micronaut.context.annotation.Value;
import jakarta.annotation.PreDestroy;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs a {@link GateTimeout} on a thread of its own, if {@code claimstream.writer.gate-timeout} is set. */
@Singleton
@Requires(property = GateTimeoutTimer.TIMEOUT)
@Requires(beans = {ClaimStatusClient.class, PodGates.class})
final class GateTimeoutTimer {
    static final String TIMEOUT = "claimstream.writer.gate-timeout";

    private static final Logger LOG = LoggerFactory.getLogger(GateTimeoutTimer.class);
    private static final long INTERVAL_MS = 500;

    private final GateTimeout gateTimeout;
    private final InstantSource clock = InstantSource.system();
    private final ScheduledExecutorService executor = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("gate-timeout").factory());

    GateTimeoutTimer(
            ClaimStatusClient status, PodGates gates, @Value("${" + GateTimeoutTimer.TIMEOUT + "}") Duration timeout) {
        gateTimeout = new GateTimeout(status, gates, timeout);
        var unused =
                executor.scheduleWithFixedDelay(this::removeDueGates, INTERVAL_MS, INTERVAL_MS, TimeUnit.MILLISECONDS);
    }

    /** An unexpected exception is logged and does not stop later removals. */
    private void removeDueGates() {
        try {
            gateTimeout.removeDueGates(clock.instant());
        } catch (RuntimeException e) {
            LOG.atError().setCause(e).log("the gate of a pod that fits no node cannot be removed");
        }
    }

    /** The listener of explanations. */
    GateTimeout gateTimeout() {
        return gateTimeout;
    }

    @PreDestroy
    void stop() {
        executor.shutdownNow();
    }
}
