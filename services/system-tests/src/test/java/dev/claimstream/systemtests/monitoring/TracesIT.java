package dev.claimstream.systemtests.monitoring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.cli.Main;
import dev.claimstream.systemtests.process.Program;
import dev.claimstream.systemtests.workload.ClusterManifests;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests that a collector gets one trace per claim: its record, its decision, and the write to the API server. */
@Timeout(180)
class TracesIT {
    private static final String CLAIM = "default/small";

    @TempDir
    private Path folder = Path.of("");

    @Test
    void collectorGetsOneTracePerClaim() throws IOException, InterruptedException {
        Path cluster = Files.writeString(
                folder.resolve("cluster.yaml"), ClusterManifests.ofDevices(1) + ClusterManifests.usedClaim("small", 1));
        try (var collector = TraceCollector.start();
                Program up = Program.start(
                        folder,
                        Map.of("CLAIMSTREAM_TRACING_ENDPOINT", collector.endpoint()),
                        Main.class.getName(),
                        "up",
                        "--data",
                        folder.resolve("data").toString(),
                        "-f",
                        cluster.toString())) {
            up.awaitOut("Ctrl-C ends it");
            Program.await(
                    () -> collector.servicesOfWrite(CLAIM).size() == 3, "a span of each service: " + collector.spans());
            assertThat(collector.spansOf(CLAIM))
                    .extracting(span -> span.field("traceId"))
                    .containsOnly(collector
                            .spans("claimstream-writer", CLAIM)
                            .getFirst()
                            .field("traceId"));
            assertThat(collector.spans())
                    .allSatisfy(span -> assertThat(Long.parseLong(span.field("startTimeUnixNano")))
                            .isLessThanOrEqualTo(Long.parseLong(span.field("endTimeUnixNano"))));
            assertThat(up.err()).isEmpty();
        }
    }
}
