package dev.claimstream.systemtests.monitoring;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Stops broker, allocator, and the process of watcher and writer in turn, while a real Prometheus evaluates the rules of
 * the chart with shortened durations. Each alert fires, and ends after the remedy.
 */
@Tag("part-0")
@Timeout(600)
class AlertsIT {
    @TempDir
    private Path folder = Path.of("");

    @BeforeAll
    static void assumePrometheus() {
        PrometheusProgram.assumeInstalled();
    }

    @Test
    void alertsFireForStoppedServicesAndEndAfterRestart() throws IOException, InterruptedException {
        try (var system = MonitoredSystem.start(folder);
                var prometheus = system.startPrometheus()) {
            prometheus.awaitOnly(); // the allocator is active
            system.allocator().kill();
            prometheus.awaitOnly("ClaimstreamNoActiveCell");
            system.restartAllocator(Map.of());
            prometheus.awaitOnly();

            system.cluster().kill();
            prometheus.awaitOnly(
                    "ClaimstreamServiceMissing{service=watcher}", "ClaimstreamServiceMissing{service=writer}");
            system.startCluster();
            prometheus.awaitOnly();

            system.broker().kill();
            prometheus.awaitFiring("ClaimstreamKafkaUnreachable");
            system.startBroker();
            prometheus.awaitOnly();
        }
    }
}
