package dev.claimstream.watcher.streams;

import dev.claimstream.observability.Span;
import dev.claimstream.observability.Traces;
import dev.claimstream.schemas.ClaimsRecord;
import dev.claimstream.wire.PublicRecord;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** The spans of published claims. An allocated claim has none: its next decision comes from other records. */
public final class ClaimSpans {
    private final Traces traces;
    private final InstantSource clock;

    public ClaimSpans(Traces traces, InstantSource clock) {
        this.traces = traces;
        this.clock = clock;
    }

    /** Publishes the records and adds a span for each claim without allocation. */
    public void publish(PublicTopicPublisher publisher, List<PublicRecord> records) {
        Instant start = clock.instant();
        publisher.publish(records);
        if (traces.isOn()) {
            records.forEach(record -> add(record, start));
        }
    }

    /** The key of a claim is kind, namespace and name. */
    private void add(PublicRecord record, Instant start) {
        if (record instanceof PublicRecord.ClaimsTopicRecord(var key, ClaimsRecord value)
                && value.getClaim()
                        .filter(claim -> claim.getAllocation().isEmpty())
                        .isPresent()) {
            traces.add(new Span(
                    value.getUid(),
                    Span.SpanStep.PUBLISH,
                    value.getVersion(),
                    Optional.empty(),
                    start,
                    clock.instant(),
                    new TreeMap<>(Map.of("claim", String.join("/", key.subList(1, key.size()))))));
        }
    }
}
