package dev.claimstream.systemtests.monitoring;

import dev.claimstream.cli.folder.DataFolder;
import dev.claimstream.systemtests.process.AllocatorProgram;
import dev.claimstream.systemtests.process.BrokerProgram;
import dev.claimstream.systemtests.process.ComponentProgram;
import dev.claimstream.systemtests.process.FreePorts;
import dev.claimstream.systemtests.process.Program;
import dev.claimstream.systemtests.workload.Users;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
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
    private static final String ALLOCATOR = "allocator-0";

    @TempDir
    private Path folder = Path.of("");

    private BrokerProgram brokerProgram = new BrokerProgram(folder, "broker", 0, 0, 1, 1);
    private int allocatorPort;

    @BeforeAll
    static void assumePrometheus() {
        PrometheusProgram.assumeInstalled();
    }

    private Program startBroker() throws IOException, InterruptedException {
        return ready(brokerProgram.start());
    }

    private Program startCluster() throws IOException, InterruptedException {
        return ready(brokerProgram.startCluster());
    }

    private static Program ready(Program program) throws InterruptedException {
        program.awaitOut(ComponentProgram.READY, Users.PATIENCE);
        return program;
    }

    private Program startAllocator() throws IOException {
        return AllocatorProgram.start(
                folder,
                ALLOCATOR,
                brokerProgram.bootstrap(),
                brokerProgram.registryUrl().toString(),
                Map.of("CLAIMSTREAM_OBSERVABILITY_PORT", Integer.toString(allocatorPort)));
    }

    @Test
    void alertsFireForStoppedServicesAndEndAfterRestart() throws IOException, InterruptedException {
        List<Integer> ports = FreePorts.of(3);
        brokerProgram = new BrokerProgram(folder, "broker", ports.get(0), ports.get(1), 1, 1);
        allocatorPort = ports.get(2);
        Program broker = startBroker();
        Program cluster = startCluster();
        Program allocator = startAllocator();
        Path data = folder.resolve("cluster");
        String console =
                DataFolder.publishedEndpoint(data).orElseThrow().console().getAuthority();
        try (var prometheus = PrometheusProgram.start(
                folder.resolve("prometheus"),
                ChartRules.shortenedText(),
                Map.of("cluster", console, "allocator", "127.0.0.1:" + allocatorPort))) {
            prometheus.awaitOnly(); // the allocator is active
            allocator.kill();
            prometheus.awaitOnly("ClaimstreamNoActiveCell");
            allocator.close();
            allocator = startAllocator();
            prometheus.awaitOnly();

            cluster.kill();
            prometheus.awaitOnly(
                    "ClaimstreamServiceMissing{service=watcher}", "ClaimstreamServiceMissing{service=writer}");
            cluster = startCluster();
            prometheus.awaitOnly();

            broker.kill();
            prometheus.awaitFiring("ClaimstreamKafkaUnreachable");
            broker = startBroker();
            prometheus.awaitOnly();
        } finally {
            allocator.close();
            cluster.close();
            broker.close();
        }
    }
}
