package dev.claimstream.allocator.streams;

import dev.claimstream.allocation.cell.Decision;
import dev.claimstream.allocation.cell.ItemId;
import dev.claimstream.allocation.cell.Output;
import dev.claimstream.kafka.RecordKey;
import dev.claimstream.schemas.DecisionRecord;
import dev.claimstream.schemas.LedgerEvent;
import dev.claimstream.wire.Alarms;
import dev.claimstream.wire.Decisions;
import dev.claimstream.wire.Explanations;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Locale;
import org.apache.avro.specific.SpecificRecord;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;

/** Publishes the outputs of a cell or of the router: decisions, explanations and ledger events. */
final class Announcer {
    private final ProcessorContext<String, SpecificRecord> context;
    private final AllocatorTopology.Sinks sinks;
    private final int number;
    private final LedgerChain ledger;
    private final CellMeters meters;
    private final InstantSource clock;

    /** @param number number of the cell; the router has the number after the last cell */
    Announcer(
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
    record Cause(long offset, Instant at, long timestamp, String engine) {}

    void say(Output output, Cause cause) {
        switch (output) {
            case Output.Decided decided -> decided(decided.decision(), cause);
            case Output.Alarmed alarmed -> {
                explain(alarmed, cause);
                meters.alarmed(number, alarmed, clock.instant());
                event(
                        cause,
                        ledger.alarm(
                                cause.offset(),
                                cause.at(),
                                alarmed.over() ? "alarm-over" : "alarm",
                                Alarms.to(alarmed.alarm()),
                                cause.engine()));
            }
            case Output.WorkAlarmed alarmed -> meters.alarmed(number, alarmed);
            case Output.Ended ended -> bury(cause, ended.claimUid(), sinks.decisions());
            case Output.Explained explained ->
                forward(
                        cause,
                        key(explained.explanation().item()),
                        Explanations.to(explained.explanation(), cause.at()),
                        sinks.explanations());
            case Output.Forgotten forgotten -> bury(cause, key(forgotten.item()), sinks.explanations());
            case Output.Answered answered ->
                forward(
                        cause,
                        RecordKey.of("probe", "", answered.probe()).text(),
                        Explanations.answered(answered, cause.at()),
                        sinks.explanations());
            case Output.Refreshed refreshed ->
                forward(
                        cause,
                        RecordKey.of("cell", "", Integer.toString(number)).text(),
                        Explanations.refreshed(refreshed, number, cause.at()),
                        sinks.explanations());
            case Output.ToRouter toRouter ->
                throw new IllegalStateException("the world is not the router: " + toRouter);
        }
    }

    private void explain(Output.Alarmed alarmed, Cause cause) {
        String key = RecordKey.of(Explanations.alarmKey(alarmed.alarm())).text();
        if (alarmed.over()) {
            bury(cause, key, sinks.explanations());
        } else {
            forward(cause, key, Explanations.alarmed(alarmed.alarm(), cause.at()), sinks.explanations());
        }
    }

    private void decided(Decision decision, Cause cause) {
        DecisionRecord value = Decisions.to(decision, number, cause.at());
        forward(cause, value.getClaimUid(), value, sinks.decisions());
        event(cause, ledger.next(cause.offset(), cause.at(), event(decision), value, cause.engine()));
        meters.decided(number, decision, Duration.between(cause.at(), clock.instant()));
    }

    void event(Cause cause, LedgerEvent event) {
        forward(cause, Integer.toString(number), event, sinks.ledger());
    }

    /** Sends a record to a cell or to the router, with the current time. The reader decides by the time whether the record is new. */
    void hand(String key, SpecificRecord value, String sink) {
        context.forward(new Record<>(key, value, clock.millis()), sink);
    }

    void forward(Cause cause, String key, SpecificRecord value, String sink) {
        context.forward(new Record<>(key, value, cause.timestamp()), sink);
    }

    private void bury(Cause cause, String key, String sink) {
        context.forward(new Record<>(key, null, cause.timestamp()), sink);
    }

    private static String key(ItemId item) {
        return RecordKey.of(
                        item.sort().name().toLowerCase(Locale.ROOT),
                        item.key().namespace(),
                        item.key().name())
                .text();
    }

    private static String event(Decision decision) {
        return switch (decision.verdict()) {
            case Decision.Verdict.Granted granted -> "grant";
            case Decision.Verdict.Waits waits -> "wait";
            case Decision.Verdict.Revoked revoked -> "revoke";
            case Decision.Verdict.Deallocation deallocation -> "deallocate";
            case Decision.Verdict.Released released -> "release";
        };
    }
}
