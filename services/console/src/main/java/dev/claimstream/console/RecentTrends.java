package dev.claimstream.console;

import dev.claimstream.dra.DeviceId;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.ResourceSlice;
import io.micronaut.context.event.ApplicationEventListener;
import io.micronaut.runtime.server.event.ServerStartupEvent;
import jakarta.annotation.PreDestroy;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Samples of the last hour: once per minute the pending claims by reason, and the telemetry of each device. The first samples after the
 * start are closer, so that plots begin soon. The samples are in memory only. Thread-safe.
 */
@Singleton
final class RecentTrends implements ApplicationEventListener<ServerStartupEvent> {
    /** Time between two samples. */
    static final Duration INTERVAL = Duration.ofMinutes(1);

    /** Time between two of the first samples. */
    private static final Duration FIRST_INTERVAL = Duration.ofSeconds(5);

    private static final int FIRST_SAMPLES = 12;

    /** Samples that are kept: one hour. */
    static final int SAMPLES_MAX = 60;

    private static final Logger LOG = LoggerFactory.getLogger(RecentTrends.class);

    private final ClusterView clusterView;
    private final ConsumerStatus consumer;
    private final ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().name("console-trends").daemon().factory());
    private final Deque<ReasonCounts> reasons = new ArrayDeque<>();
    private final DeviceTrends telemetry = new DeviceTrends(SAMPLES_MAX);

    RecentTrends(ClusterView clusterView, ConsumerStatus consumer) {
        this.clusterView = clusterView;
        this.consumer = consumer;
    }

    /** Begins to sample. A process without a server has no trends. */
    @Override
    public void onApplicationEvent(ServerStartupEvent event) {
        schedule(FIRST_SAMPLES);
    }

    /** Schedules the next sample. If the console is not ready then, it has no sample of that time. */
    private void schedule(int firstSamples) {
        Duration pause = firstSamples > 0 ? FIRST_INTERVAL : INTERVAL;
        var unused = clock.schedule(
                () -> {
                    sampleIfReady();
                    schedule(Math.max(0, firstSamples - 1));
                },
                pause.toSeconds(),
                TimeUnit.SECONDS);
    }

    /**
     * The pending claims at one time.
     *
     * @param counts number of claims by namespace and reason
     */
    record ReasonCounts(Instant at, Map<NamespacedReason, Long> counts) {
        ReasonCounts {
            counts = Map.copyOf(counts);
        }

        record NamespacedReason(String namespace, String reason) {}
    }

    private record Reading(ReasonCounts reasons, Map<DeviceId, TelemetrySample> telemetry) {}

    private void sampleIfReady() {
        try {
            if (consumer.isCaughtUp()) {
                sample(Instant.now());
            }
        } catch (RuntimeException e) {
            LOG.error("the trends of the last hour have a gap", e);
        }
    }

    /** Adds the present state as a sample. */
    void sample(Instant now) {
        Reading reading = clusterView.read(snapshot -> new Reading(reasons(snapshot, now), telemetry(snapshot)));
        synchronized (this) {
            reasons.addLast(reading.reasons());
            if (reasons.size() > SAMPLES_MAX) {
                reasons.removeFirst();
            }
            telemetry.add(now, reading.telemetry());
        }
    }

    private static ReasonCounts reasons(ClusterView.Snapshot snapshot, Instant now) {
        Map<ReasonCounts.NamespacedReason, Long> counts = new HashMap<>();
        snapshot.claims()
                .forEach(claim -> claim.pendingDecision()
                        .ifPresent(pending -> counts.merge(
                                new ReasonCounts.NamespacedReason(
                                        claim.key().namespace(),
                                        pending.reason().name()),
                                1L,
                                Long::sum)));
        return new ReasonCounts(now, counts);
    }

    private static Map<DeviceId, TelemetrySample> telemetry(ClusterView.Snapshot snapshot) {
        Map<DeviceId, TelemetrySample> found = new HashMap<>();
        snapshot.all(Kind.RESOURCE_SLICE, ResourceSlice.class)
                .forEach(slice -> slice.devices().forEach(device -> {
                    var id = new DeviceId(slice.driver(), slice.pool(), device.name());
                    snapshot.sample(id).ifPresent(sample -> found.put(id, sample));
                }));
        return found;
    }

    /** Returns the samples of pending claims, the oldest first. */
    synchronized List<ReasonCounts> reasons() {
        return List.copyOf(reasons);
    }

    /** Returns the samples of a device, the oldest first. */
    synchronized List<DeviceTrends.TrendPoint> telemetry(DeviceId device) {
        return telemetry.of(device);
    }

    /** Returns the means of the samples of several devices, the oldest first. */
    synchronized List<DeviceTrends.TrendPoint> meanTelemetry(Collection<DeviceId> devices) {
        return telemetry.meanOf(devices);
    }

    /** Returns the counts of one sample by reason, of the selected namespaces. */
    static SortedMap<String, Long> byReason(ReasonCounts sample, Predicate<String> namespaces) {
        SortedMap<String, Long> counts = new TreeMap<>();
        sample.counts().forEach((key, count) -> {
            if (namespaces.test(key.namespace())) {
                counts.merge(key.reason(), count, Long::sum);
            }
        });
        return counts;
    }

    @PreDestroy
    void stop() {
        clock.shutdownNow();
    }
}
