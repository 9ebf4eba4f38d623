package dev.claimstream.observability;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Spans at a collector that answers, and at one that does not. */
final class TracesTest {
    private static final Instant START = Instant.parse("2026-03-01T12:10:00.123456789Z");

    private final Meters meters = new Meters();
    private final BlockingQueue<String> bodies = new LinkedBlockingQueue<>();
    private final HttpServer collector;
    private volatile int status = 200;

    TracesTest() throws IOException {
        collector = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        collector.createContext("/otlp/v1/traces", exchange -> {
            try (exchange) {
                bodies.add(new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
                exchange.sendResponseHeaders(status, -1);
            }
        });
        collector.start();
    }

    @AfterEach
    void stop() {
        collector.stop(0);
    }

    private URI endpoint() {
        return URI.create(
                "http://127.0.0.1:%d/otlp/".formatted(collector.getAddress().getPort()));
    }

    private static Span span(Span.SpanStep step, Optional<Span.SpanStep> parent) {
        return new Span(
                "uid-1", step, 7, parent, START, START.plusMillis(5), new TreeMap<>(Map.of("claim", "team/\"a\"")));
    }

    @Test
    void sendsSpansOfOneClaimAsOneTrace() throws InterruptedException {
        Span decision = span(Span.SpanStep.DECIDE, Optional.empty());
        try (var traces = Traces.to(endpoint(), meters)) {
            traces.add(decision);
            String body = bodies.poll(10, TimeUnit.SECONDS);
            assertThat(body)
                    .isEqualTo("{\"resourceSpans\":[{\"resource\":{\"attributes\":[{\"key\":\"service.name\",\"value\":"
                            + "{\"stringValue\":\"claimstream-allocator\"}}]},\"scopeSpans\":[{\"scope\":{\"name\":\"claimstream\"},"
                            + "\"spans\":[{\"traceId\":\"" + decision.traceId() + "\",\"spanId\":\"" + decision.spanId()
                            + "\",\"name\":\"decide claim\",\"kind\":1,\"startTimeUnixNano\":\"1772367000123456789\","
                            + "\"endTimeUnixNano\":\"1772367000128456789\",\"attributes\":[{\"key\":\"claim\",\"value\":"
                            + "{\"stringValue\":\"team/\\\"a\\\"\"}}]}]}]}]}");
            traces.add(span(Span.SpanStep.COMMIT, Optional.of(Span.SpanStep.DECIDE)));
            assertThat(bodies.poll(10, TimeUnit.SECONDS))
                    .contains(
                            "\"traceId\":\"" + decision.traceId() + "\"",
                            "\"parentSpanId\":\"" + decision.spanId() + "\"",
                            "claimstream-writer");
        }
        assertThat(decision.traceId()).matches("[0-9a-f]{32}");
        assertThat(decision.spanId()).matches("[0-9a-f]{16}");
        assertThat(meters.text()).contains("claimstream_trace_spans_dropped_total 0.0");
    }

    @Test
    void countsSpansThatCollectorRejects() throws InterruptedException {
        status = 503;
        try (var traces = Traces.to(endpoint(), meters)) {
            traces.add(span(Span.SpanStep.DECIDE, Optional.empty()));
            assertThat(bodies.poll(10, TimeUnit.SECONDS)).isNotNull();
        }
        assertThat(meters.text()).contains("claimstream_trace_spans_dropped_total 1.0");
    }

    /** The settings reject such an address. */
    @Test
    void countsSpansThatCannotBeSentToAddress() {
        try (var traces = Traces.to(URI.create("collector:4318"), meters)) {
            traces.add(span(Span.SpanStep.DECIDE, Optional.empty()));
            traces.add(span(Span.SpanStep.COMMIT, Optional.empty()));
        }
        assertThat(meters.text()).contains("claimstream_trace_spans_dropped_total 2.0");
    }

    /** A service adds spans as fast as before if nothing answers, and uses no more memory. */
    @Test
    void dropsSpansBeyondQueueWithoutDelay() {
        try (var traces = Traces.to(URI.create("http://127.0.0.1:1"), meters)) {
            long before = System.nanoTime();
            for (int i = 0; i < 20 * Traces.QUEUE_MAX; i++) {
                traces.add(span(Span.SpanStep.DECIDE, Optional.empty()));
            }
            assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(Duration.ofSeconds(20));
        }
        assertThat(meters.text()).doesNotContain("claimstream_trace_spans_dropped_total 0.0");
    }

    @Test
    void sendsNothingIfOff() {
        var traces = Traces.off(meters);
        traces.add(span(Span.SpanStep.DECIDE, Optional.empty()));
        traces.close();
        assertThat(traces.isOn()).isFalse();
        assertThat(bodies).isEmpty();
    }
}
