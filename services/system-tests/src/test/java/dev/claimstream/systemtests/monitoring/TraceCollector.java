package dev.claimstream.systemtests.monitoring;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;

/** A collector of OpenTelemetry (OTLP over HTTP, JSON) on loopback. It keeps every span. */
public final class TraceCollector implements AutoCloseable {
    private final HttpServer server;
    private final List<ReceivedSpan> spans = new CopyOnWriteArrayList<>();

    private TraceCollector(HttpServer server) {
        this.server = server;
    }

    /**
     * A span as the collector gets it.
     *
     * @param service value of {@code service.name}
     */
    record ReceivedSpan(String service, Map<?, ?> fields) {
        String field(String name) {
            return String.valueOf(fields.get(name));
        }

        private boolean isOf(String claim) {
            return String.valueOf(fields.get("attributes")).contains("stringValue=" + claim + "}");
        }
    }

    public static TraceCollector start() throws IOException {
        var server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        var collector = new TraceCollector(server);
        server.createContext("/v1/traces", collector::receive);
        server.start();
        return collector;
    }

    /** The value of {@code claimstream.tracing.endpoint}. */
    public String endpoint() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    private void receive(HttpExchange exchange) throws IOException {
        try (exchange) {
            String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
            for (Object each :
                    ChartRules.list(ChartRules.map(ChartRules.parse(body)).get("resourceSpans"))) {
                addSpans(ChartRules.map(each));
            }
            exchange.sendResponseHeaders(200, -1);
        }
    }

    private void addSpans(Map<?, ?> resource) {
        String service = String.valueOf(resource.get("resource")).replaceAll(".*stringValue=([a-z-]+).*", "$1");
        for (Object scope : ChartRules.list(resource.get("scopeSpans"))) {
            for (Object span : ChartRules.list(ChartRules.map(scope).get("spans"))) {
                spans.add(new ReceivedSpan(service, ChartRules.map(span)));
            }
        }
    }

    List<ReceivedSpan> spans() {
        return List.copyOf(spans);
    }

    /** The spans of a claim, of all services. */
    List<ReceivedSpan> spansOf(String claim) {
        return spans.stream().filter(span -> span.isOf(claim)).toList();
    }

    /** The spans of a claim. */
    List<ReceivedSpan> spans(String service, String claim) {
        return spansOf(claim).stream()
                .filter(span -> span.service.equals(service))
                .toList();
    }

    /**
     * The services of the trace that ends with the write of a claim to the API server. The span of the writer is a child of one of
     * the allocator. Empty if there is no such write.
     */
    public Set<String> servicesOfWrite(String claim) {
        Optional<ReceivedSpan> write = spans("claimstream-writer", claim).stream()
                .filter(span -> spans("claimstream-allocator", claim).stream()
                        .anyMatch(parent -> parent.field("spanId").equals(span.field("parentSpanId"))))
                .findFirst();
        return write.stream()
                .flatMap(span ->
                        spans.stream().filter(each -> each.field("traceId").equals(span.field("traceId"))))
                .map(ReceivedSpan::service)
                .collect(Collectors.toSet());
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
