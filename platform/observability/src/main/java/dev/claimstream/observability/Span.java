package dev.claimstream.observability;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * One step of a claim between its record and the write to the API server, as a span of OpenTelemetry.
 *
 * <p>The trace is that of the claim: its id comes from the UID, and the id of a span from UID, step and number. So services need no headers
 * in records to continue a trace, and a repeated step has the same id.
 *
 * @param claimUid UID of the claim
 * @param step name of the span
 * @param number distinguishes spans of one step, such as the number of a decision
 * @param parent the step that led to this one, with the same number; empty for a root
 */
public record Span(
        String claimUid,
        SpanStep step,
        long number,
        Optional<SpanStep> parent,
        Instant start,
        Instant end,
        SortedMap<String, String> attributes) {
    /** The steps of a claim. */
    public enum SpanStep {
        /** The watcher publishes the claim; the number is its resourceVersion. */
        PUBLISH("claimstream-watcher", "publish claim"),
        /** A cell decides; the number is that of the decision. */
        DECIDE("claimstream-allocator", "decide claim"),
        /** The writer writes the decision of this number to the API server. */
        COMMIT("claimstream-writer", "commit decision");

        private final String service;
        private final String text;

        SpanStep(String service, String text) {
            this.service = service;
            this.text = text;
        }
    }

    private static final int TRACE_BYTES = 16;
    private static final int SPAN_BYTES = 8;
    private static final int KIND_INTERNAL = 1;

    public Span {
        attributes = new TreeMap<>(attributes);
    }

    /** The trace id, 32 hexadecimal digits. */
    String traceId() {
        return hash(claimUid, TRACE_BYTES);
    }

    /** The span id, 16 hexadecimal digits. */
    String spanId() {
        return spanId(step);
    }

    private String spanId(SpanStep ofStep) {
        return hash("%s/%s/%d".formatted(claimUid, ofStep.text, number), SPAN_BYTES);
    }

    private static String hash(String text, int bytes) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(hash, 0, bytes);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    /** The body of a request, ExportTraceServiceRequest of OTLP in JSON. */
    static String request(List<Span> spans) {
        return spans.stream()
                .collect(Collectors.groupingBy(span -> span.step.service, TreeMap::new, Collectors.toList()))
                .entrySet()
                .stream()
                .map(each -> resourceSpans(each.getKey(), each.getValue()))
                .collect(Collectors.joining(",", "{\"resourceSpans\":[", "]}"));
    }

    private static String resourceSpans(String service, List<Span> spans) {
        return "{\"resource\":{\"attributes\":[%s]},\"scopeSpans\":[{\"scope\":{\"name\":\"claimstream\"},\"spans\":[%s]}]}"
                .formatted(
                        attribute(Map.entry("service.name", service)),
                        spans.stream().map(Span::json).collect(Collectors.joining(",")));
    }

    private String json() {
        return "{\"traceId\":\"%s\",\"spanId\":\"%s\",%s\"name\":%s,\"kind\":%d,\"startTimeUnixNano\":\"%s\",\"endTimeUnixNano\":\"%s\",\"attributes\":[%s]}"
                .formatted(
                        traceId(),
                        spanId(),
                        parent.map(each -> "\"parentSpanId\":\"%s\",".formatted(spanId(each)))
                                .orElse(""),
                        Json.text(step.text),
                        KIND_INTERNAL,
                        nanos(start),
                        nanos(end.isBefore(start) ? start : end),
                        attributes.entrySet().stream().map(Span::attribute).collect(Collectors.joining(",")));
    }

    private static String attribute(Map.Entry<String, String> attribute) {
        return "{\"key\":%s,\"value\":{\"stringValue\":%s}}"
                .formatted(Json.text(attribute.getKey()), Json.text(attribute.getValue()));
    }

    private static String nanos(Instant time) {
        return "%d%09d".formatted(time.getEpochSecond(), time.getNano());
    }
}
