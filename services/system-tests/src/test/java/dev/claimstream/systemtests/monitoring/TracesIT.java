package dev.claimstream.systemtests.monitoring;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.claimstream.cli.Main;
import dev.claimstream.systemtests.process.Program;
import dev.claimstream.systemtests.workload.ClusterManifests;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests that a collector gets one trace per claim: its record, its decision, and the write to the API server. */
@Timeout(180)
class TracesIT {
    @TempDir
    private Path folder = Path.of("");

    /** A span as the collector gets it. */
    private record ReceivedSpan(String service, Map<?, ?> fields) {
        String field(String name) {
            return String.valueOf(fields.get(name));
        }

        boolean isOf(String claim) {
            return String.valueOf(fields.get("attributes")).contains("stringValue=" + claim + "}");
        }
    }

    private final List<ReceivedSpan> received = new CopyOnWriteArrayList<>();

    private HttpServer startCollector() throws IOException {
        var server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/v1/traces", exchange -> {
            try (exchange) {
                String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
                for (Object each :
                        ChartRules.list(ChartRules.map(ChartRules.parse(body)).get("resourceSpans"))) {
                    addSpans(ChartRules.map(each));
                }
                exchange.sendResponseHeaders(200, -1);
            }
        });
        server.start();
        return server;
    }

    private void addSpans(Map<?, ?> resource) {
        String service = String.valueOf(resource.get("resource")).replaceAll(".*stringValue=([a-z-]+).*", "$1");
        for (Object scope : ChartRules.list(resource.get("scopeSpans"))) {
            for (Object span : ChartRules.list(ChartRules.map(scope).get("spans"))) {
                received.add(new ReceivedSpan(service, ChartRules.map(span)));
            }
        }
    }

    private List<ReceivedSpan> spans(String service) {
        return received.stream()
                .filter(span -> span.service.equals(service) && span.isOf("default/small"))
                .toList();
    }

    @Test
    void collectorGetsOneTracePerClaim() throws IOException, InterruptedException {
        Path cluster = Files.writeString(
                folder.resolve("cluster.yaml"), ClusterManifests.ofDevices(1) + ClusterManifests.usedClaim("small", 1));
        HttpServer collector = startCollector();
        String endpoint = "http://127.0.0.1:" + collector.getAddress().getPort();
        try (Program up = Program.start(
                folder,
                Map.of("CLAIMSTREAM_TRACING_ENDPOINT", endpoint),
                Main.class.getName(),
                "up",
                "--data",
                folder.resolve("data").toString(),
                "-f",
                cluster.toString())) {
            up.awaitOut("Ctrl-C ends it");
            Program.await(() -> !spans("claimstream-writer").isEmpty(), "a span of the writer: " + received);
            ReceivedSpan commit = spans("claimstream-writer").getFirst();
            assertThat(received.stream().filter(span -> span.isOf("default/small")))
                    .extracting(span -> span.field("traceId"))
                    .containsOnly(commit.field("traceId"));
            assertThat(spans("claimstream-watcher")).isNotEmpty();
            assertThat(spans("claimstream-allocator"))
                    .extracting(span -> span.field("spanId"))
                    .contains(commit.field("parentSpanId"));
            assertThat(received)
                    .allSatisfy(span -> assertThat(Long.parseLong(span.field("startTimeUnixNano")))
                            .isLessThanOrEqualTo(Long.parseLong(span.field("endTimeUnixNano"))));
            assertThat(up.err()).isEmpty();
        } finally {
            collector.stop(0);
        }
    }
}
