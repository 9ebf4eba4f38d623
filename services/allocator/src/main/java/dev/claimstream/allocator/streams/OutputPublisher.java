package dev.claimstream.allocator.streams;

import dev.claimstream.allocation.cell.Comparison;
import dev.claimstream.allocation.cell.Decision;
import dev.claimstream.allocation.cell.ItemId;
import dev.claimstream.allocation.cell.Output;
import dev.claimstream.audit.streams.LedgerChain;
import dev.claimstream.kafka.RecordKey;
import dev.claimstream.schemas.LedgerEvent;
import dev.claimstream.wire.ComparisonCodec;
import dev.claimstream.wire.ExplanationCodec;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Locale;
import org.apache.avro.specific.SpecificRecord;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;

/** Publishes the outputs of a cell or of the router: decisions, explanations and ledger events. */
final class OutputPublisher {
    private final ProcessorContext<String, SpecificRecord> context;
    private final AllocatorTopology.Sinks sinks;
    private final int number;
    private final LedgerChain ledger;
    private final CellMeters meters;
    private final InstantSource clock;

    /** @param number number of the cell; the router has the number after the last cell */
    OutputPublisher(
            ProcessorContext<String, SpecificRecord> context,
            AllocatorTopology.Sinks sinks,
            int number,
            LedgerChain ledger,
            CellMeters meters,
            InstantSource clock) {
        this.context = context;
        this.sinks = sinks;
        this.number = number;
        this.ledger = ledger;
        this.meters = meters;
        this.clock = clock;
    }

    /**
     * Metadata of the input that caused an output.
     *
     * @param at time in the input
     * @param timestamp timestamp of its record
     */
    record SourceInput(long offset, Instant at, long timestamp, String engine) {}

    void publish(Output output, SourceInput cause) {
        switch (output) {
            case Output.DecisionMade decided -> publishDecision(decided.decision(), cause);
            case Output.AlarmChanged alarmed -> {
                publishAlarm(alarmed, cause);
                meters.recordAlarm(number, alarmed, clock.instant());
                event(cause, ledger.alarm(cause.offset(), cause.at(), alarmed, cause.engine()));
            }
            case Output.WorkAlarmRaised alarmed -> meters.recordAlarm(number, alarmed);
            case Output.ClaimDeleted ended -> sendTombstone(cause, ended.claimUid(), sinks.decisions());
            case Output.ItemExplained explained ->
                forward(
                        cause,
                        key(explained.explanation().item()),
                        ExplanationCodec.to(explained.explanation(), cause.at()),
                        sinks.explanations());
            case Output.ClaimCompared(Comparison comparison) -> {
                meters.recordComparison(comparison);
                forward(
                        cause,
                        comparison.claimUid(),
                        ComparisonCodec.to(comparison, number, cause.at()),
                        sinks.comparisons());
            }
            case Output.ExplanationDeleted forgotten ->
                sendTombstone(cause, key(forgotten.item()), sinks.explanations());
            case Output.ProbeAnswered answered ->
                forward(
                        cause,
                        RecordKey.of("probe", "", answered.probe()).text(),
                        ExplanationCodec.probeAnswerRecord(answered, cause.at()),
                        sinks.explanations());
            case Output.TextsRefreshed refreshed ->
                forward(
                        cause,
                        RecordKey.of("cell", "", Integer.toString(number)).text(),
                        ExplanationCodec.refreshMarker(refreshed, number, cause.at()),
                        sinks.explanations());
            case Output.RouterMessage toRouter ->
                throw new IllegalStateException("a message to the router has no public topic: " + toRouter);
        }
    }

    private void publishAlarm(Output.AlarmChanged alarmed, SourceInput cause) {
        String key = RecordKey.of(ExplanationCodec.alarmKey(alarmed.alarm())).text();
        if (alarmed.isCleared()) {
            sendTombstone(cause, key, sinks.explanations());
        } else {
            forward(cause, key, ExplanationCodec.alarmRecord(alarmed.alarm(), cause.at()), sinks.explanations());
        }
    }

    private void publishDecision(Decision decision, SourceInput cause) {
        LedgerEvent event = ledger.decision(cause.offset(), cause.at(), decision, cause.engine());
        event.getDecision().ifPresent(value -> forward(cause, value.getClaimUid(), value, sinks.decisions()));
        event(cause, event);
        meters.recordDecision(number, decision, Duration.between(cause.at(), clock.instant()));
    }

    void event(SourceInput cause, LedgerEvent event) {
        forward(cause, Integer.toString(number), event, sinks.ledger());
    }

    /** Sends a record to a cell or to the router, with the current time. The reader decides by the time whether the record is new. */
    void forwardNow(String key, SpecificRecord value, String sink) {
        context.forward(new Record<>(key, value, clock.millis()), sink);
    }

    void forward(SourceInput cause, String key, SpecificRecord value, String sink) {
        context.forward(new Record<>(key, value, cause.timestamp()), sink);
    }

    private void sendTombstone(SourceInput cause, String key, String sink) {
        context.forward(new Record<>(key, null, cause.timestamp()), sink);
    }

    private static String key(ItemId item) {
        return RecordKey.of(
                        item.kind().name().toLowerCase(Locale.ROOT),
                        item.key().namespace(),
                        item.key().name())
                .text();
    }
}
