package dev.claimstream.observability;

import java.util.List;

/** The meters of every service, and those of the broker of {@code claimstream up}. */
public enum ProcessMeter implements Meter {
    BROKER_REJECTED(
            "claimstream.broker.rejected.bytes",
            MeterType.COUNTER,
            "bytes",
            MeterSource.UP,
            "always",
            "Bytes that the broker of this process rejected because they exceed the limit of their topic, by public topic; no service reads them. Not available with an external Kafka: see its metric kafka.server:type=BrokerTopicMetrics,name=BytesRejectedPerSec,topic=TOPIC.",
            MeterLabel.PRODUCER_TOPIC),
    BROKER_CUT(
            "claimstream.broker.cut.requests",
            MeterType.COUNTER,
            "requests",
            MeterSource.UP,
            "always",
            "Requests that the broker of this process cut because they exceed socket.request.max.bytes: it closes the connection without a response. Not available with an external Kafka: its log names such requests with InvalidReceiveException."),
    PART_STATUS(
            "claimstream.part.status",
            MeterType.GAUGE,
            "status",
            MeterSource.ALL,
            "once the part has started",
            "Status of each part of the health: 0 up, 1 degraded, 2 down, 3 ended for good.",
            MeterLabel.PART),
    DROPPED_SPANS(
            "claimstream.trace.spans.dropped",
            MeterType.COUNTER,
            "spans",
            MeterSource.ALL,
            "always",
            "Spans that were dropped because the collector did not accept them in time; 0 without tracing.");

    @SuppressWarnings("ImmutableEnumChecker") // immutable: it copies its list
    private final MeterFacts facts;

    ProcessMeter(
            String base,
            MeterType type,
            String unit,
            MeterSource source,
            String presence,
            String meaning,
            MeterLabel... labels) {
        facts = new MeterFacts(base, type, unit, source, presence, meaning, List.of(labels));
    }

    @Override
    public MeterFacts facts() {
        return facts;
    }
}
