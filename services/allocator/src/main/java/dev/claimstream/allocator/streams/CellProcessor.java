package dev.claimstream.allocator.streams;

import dev.claimstream.allocation.cell.Cell;
import dev.claimstream.allocation.cell.Decision;
import dev.claimstream.allocation.cell.Fact;
import dev.claimstream.allocation.cell.Input;
import dev.claimstream.allocation.cell.ItemId;
import dev.claimstream.allocation.cell.Output;
import dev.claimstream.allocation.cell.State;
import dev.claimstream.allocation.cell.Step;
import dev.claimstream.dra.Selectors;
import dev.claimstream.kafka.RecordKey;
import dev.claimstream.schemas.CellInput;
import dev.claimstream.schemas.DecisionRecord;
import dev.claimstream.schemas.StateRow;
import dev.claimstream.wire.Alarms;
import dev.claimstream.wire.Decisions;
import dev.claimstream.wire.Explanations;
import dev.claimstream.wire.Inputs;
import dev.claimstream.wire.Rows;
import java.nio.ByteBuffer;
import java.util.Locale;
import org.apache.avro.specific.SpecificRecord;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.state.KeyValueStore;

/** Hosts one cell: keeps its rows, feeds it, and sends on what it says. */
final class CellProcessor implements Processor<String, CellInput, String, SpecificRecord> {
    /** Kept among the rows, so that it commits with them. */
    private static final String LEDGER_KEY = "ledger";

    private final Selectors selectors;
    private ProcessorContext<String, SpecificRecord> context;
    private KeyValueStore<String, StateRow> rows;
    private Cell cell;
    private LedgerChain ledger;

    @SuppressWarnings("NullAway.Init") // Kafka Streams calls init before anything else
    CellProcessor(Selectors selectors) {
        this.selectors = selectors;
    }

    @Override
    public void init(ProcessorContext<String, SpecificRecord> context) {
        this.context = context;
        this.rows = context.getStateStore(AllocatorTopology.ROWS);
        var state = new State(selectors);
        ByteBuffer last = ByteBuffer.allocate(0);
        try (var all = rows.all()) {
            while (all.hasNext()) {
                var row = all.next();
                if (row.key.equals(LEDGER_KEY)) {
                    last = row.value.getLedgerHash().orElse(last);
                } else {
                    state.apply(new Fact.Put(Rows.from(row.value)));
                }
            }
        }
        this.cell = new Cell(state);
        this.ledger = new LedgerChain(context.taskId().partition(), last);
    }

    @Override
    public void process(Record<String, CellInput> record) {
        long offset = context.recordMetadata()
                .orElseThrow(() -> new IllegalStateException("an input without an offset"))
                .offset();
        Inputs.from(offset, record.value()).ifPresent(input -> step(input, record));
    }

    private void step(Input input, Record<String, CellInput> record) {
        Step step = cell.step(input);
        step.facts().forEach(this::keep);
        int events = 0;
        for (Output output : step.outputs()) {
            events += send(output, input, record, events);
        }
        if (events > 0) {
            rows.put(
                    LEDGER_KEY,
                    StateRow.newBuilder().setLedgerHash(ledger.last()).build());
        }
    }

    private void keep(Fact fact) {
        switch (fact) {
            case Fact.Put put -> rows.put(put.key(), Rows.to(put.row()));
            case Fact.Drop drop -> rows.delete(drop.key());
        }
    }

    /** @return how many events went to the ledger */
    private int send(Output output, Input input, Record<String, CellInput> record, int index) {
        switch (output) {
            case Output.Decided decided -> {
                DecisionRecord decision =
                        Decisions.to(decided.decision(), context.taskId().partition(), input.at());
                forward(record, decision.getClaimUid(), decision, AllocatorTopology.DECISIONS);
                var event = ledger.next(
                        input.offset(),
                        index,
                        input.at(),
                        event(decided.decision()),
                        decision,
                        null,
                        cell.state().settings().engine());
                forward(record, Integer.toString(context.taskId().partition()), event, AllocatorTopology.LEDGER);
                return 1;
            }
            case Output.Alarmed alarmed -> {
                var event = ledger.next(
                        input.offset(),
                        index,
                        input.at(),
                        alarmed.over() ? "alarm-over" : "alarm",
                        null,
                        Alarms.to(alarmed.alarm()),
                        cell.state().settings().engine());
                forward(record, Integer.toString(context.taskId().partition()), event, AllocatorTopology.LEDGER);
                return 1;
            }
            case Output.Ended ended ->
                context.forward(new Record<>(ended.claimUid(), null, record.timestamp()), AllocatorTopology.DECISIONS);
            case Output.Explained explained ->
                forward(
                        record,
                        key(explained.explanation().item()),
                        Explanations.to(explained.explanation(), input.at()),
                        AllocatorTopology.EXPLANATIONS);
            case Output.Forgotten forgotten ->
                context.forward(
                        new Record<>(key(forgotten.item()), null, record.timestamp()), AllocatorTopology.EXPLANATIONS);
            case Output.Answered answered ->
                forward(
                        record,
                        RecordKey.of("probe", "", answered.probe()).text(),
                        Explanations.answered(answered, input.at()),
                        AllocatorTopology.EXPLANATIONS);
        }
        return 0;
    }

    private void forward(Record<String, CellInput> record, String key, SpecificRecord value, String sink) {
        context.forward(new Record<>(key, value, record.timestamp()), sink);
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
            case Decision.Verdict.Released released -> "release";
        };
    }
}
