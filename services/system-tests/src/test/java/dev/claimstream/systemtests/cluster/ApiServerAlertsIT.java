package dev.claimstream.systemtests.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.cli.folder.DataFolder;
import dev.claimstream.kubernetes.controlplane.ControlPlaneComponent;
import dev.claimstream.systemtests.monitoring.ChartRules;
import dev.claimstream.systemtests.monitoring.PrometheusProgram;
import dev.claimstream.systemtests.process.Program;
import dev.claimstream.systemtests.process.SlowPoll;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/**
 * Removes the rights of the writer, whose commits are then late, and kills the API server, while a real Prometheus
 * evaluates the rules of the chart with shortened durations.
 */
@Tag("part-4")
@Timeout(300)
class ApiServerAlertsIT {
    private static final String BINDING = "claimstream-writer";

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    private Path folder = Path.of("");

    @BeforeAll
    static void assumePrometheus() {
        PrometheusProgram.assumeInstalled();
    }

    @Test
    void alertsFireWithoutRightsAndWithoutApiServer() throws IOException, InterruptedException {
        try (var cluster = Kubernetes.start(2, 4);
                Program up = Kubernetes.up(cluster, folder);
                var prometheus = PrometheusProgram.start(
                        folder.resolve("prometheus"),
                        ChartRules.shortenedText(),
                        Map.of(
                                "claimstream",
                                DataFolder.publishedEndpoint(folder.resolve("data"))
                                        .orElseThrow()
                                        .console()
                                        .getAuthority()))) {
            prometheus.awaitOnly();
            String binding = cluster.kubectl("", "get", "clusterrolebinding", BINDING, "-o", "json");
            cluster.kubectl("", "delete", "clusterrolebinding", BINDING);
            cluster.apply(Kubernetes.pods("rejected", 1, ""));
            prometheus.awaitOnly("ClaimstreamDecisionsNotCommitted");
            cluster.apply(binding);
            prometheus.awaitFiring("ClaimstreamSlowAllocation{objective=commit}"); // the commit is late
            assertThat(prometheus.query("sum(claimstream_writer_retries_total) > 0"))
                    .as("what the page says to look at")
                    .isNotEmpty();
            SlowPoll.await(
                    () -> cluster.states("rejected").equals(Map.of("Running", 1)),
                    () -> "rejected: %s; %s".formatted(cluster.states("rejected"), up.err()));
            prometheus.awaitOnly();

            cluster.plane().kill(ControlPlaneComponent.API_SERVER);
            prometheus.awaitFiring("ClaimstreamListsMissing");
            cluster.plane().start(ControlPlaneComponent.API_SERVER);
            prometheus.awaitOnly();
            assertThat(up.isAlive()).isTrue();
        }
    }
}
