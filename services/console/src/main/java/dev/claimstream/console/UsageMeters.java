package dev.claimstream.console;

import dev.claimstream.observability.ConsoleMeter;
import dev.claimstream.observability.Meters;
import io.micronaut.context.annotation.Context;
import io.micronaut.context.annotation.Requires;
import io.micronaut.context.annotation.Value;
import java.time.Instant;
import java.util.List;

/**
 * Shows {@link UsageFigures} as metrics. All gauges of a scrape share one reading of the state. Readings take at most a twentieth of the
 * time. Without a complete state there are no rows.
 */
@Context
@Requires(beans = ConsumerStatus.class)
final class UsageMeters {
    private static final int PAUSES_PER_READING = 19;
    private static final long PAUSE_MIN_NANOS = 1_000_000_000;

    private final ClusterView clusterView;
    private final ConsumerStatus consumer;
    private final UsageFigures.UsageRules rules;
    private UsageFigures figures = UsageFigures.NONE;
    private long readAgainAt = System.nanoTime();

    UsageMeters(
            ClusterView clusterView,
            ConsumerStatus consumer,
            Meters meters,
            @Value("${claimstream.console.idle-percent:5}") double idlePercent,
            @Value(
                            "${claimstream.console.node-pool-labels:karpenter.sh/nodepool,cloud.google.com/gke-nodepool,"
                                    + "eks.amazonaws.com/nodegroup,kubernetes.azure.com/agentpool,node.kubernetes.io/instance-type}")
                    List<String> nodePoolLabels,
            @Value("${claimstream.console.device-metrics:false}") boolean withDevices) {
        this.clusterView = clusterView;
        this.consumer = consumer;
        rules = new UsageFigures.UsageRules(idlePercent, nodePoolLabels, withDevices);
        meters.show(ConsoleMeter.NODE_POOL_DEVICES, () -> current().nodePools());
        meters.show(ConsoleMeter.NAMESPACE_DEVICES, () -> current().devices());
        meters.show(ConsoleMeter.NAMESPACE_CLAIMS, () -> current().claims());
        meters.show(ConsoleMeter.NAMESPACE_PENDING, () -> current().pendingSeconds());
        if (withDevices) {
            meters.show(ConsoleMeter.DEVICE_INFO, () -> current().holders());
        }
    }

    private synchronized UsageFigures current() {
        long began = System.nanoTime();
        if (!consumer.isCaughtUp()) {
            return UsageFigures.NONE;
        }
        if (began - readAgainAt >= 0) {
            figures = UsageFigures.of(clusterView, rules, Instant.now());
            long end = System.nanoTime();
            readAgainAt = end + Math.max(PAUSE_MIN_NANOS, PAUSES_PER_READING * (end - began));
        }
        return figures;
    }
}
