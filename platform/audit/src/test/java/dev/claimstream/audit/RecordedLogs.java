package dev.claimstream.audit;

import dev.claimstream.audit.streams.LedgerChain;
import dev.claimstream.kafka.AvroSerde;
import dev.claimstream.kafka.DecodeResult;
import dev.claimstream.kafka.registry.SchemaRegistry;
import dev.claimstream.schemas.CellInputRecord;
import dev.claimstream.schemas.DecisionRecord;
import dev.claimstream.schemas.ItemIdRecord;
import dev.claimstream.schemas.LedgerEvent;
import dev.claimstream.schemas.PendingDecision;
import dev.claimstream.schemas.TickRecord;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** Logs with invented events, for tests of chains and files. */
public final class RecordedLogs {
    public static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
    private static final Duration STEP = Duration.ofSeconds(1);

    private RecordedLogs() {}

    /** A log of several cells. Every second input leads to two events. */
    public static MemoryLog of(int cells, int inputs) {
        SchemaRegistry registry = SchemaRegistry.inMemory();
        var log = new MemoryLog(registry);
        for (int cell = 0; cell < cells; cell++) {
            var chain = new LedgerChain(cell, ByteBuffer.allocate(0));
            append(log, registry, chain, cell, 0, inputs);
        }
        return log;
    }

    /** Appends inputs and their events to the log of a cell. */
    static void append(MemoryLog log, SchemaRegistry registry, LedgerChain chain, int cell, int from, int inputs) {
        var inputSerde = AvroSerde.of(CellInputRecord.class, registry);
        var ledgerSerde = AvroSerde.of(LedgerEvent.class, registry);
        for (int input = from; input < from + inputs; input++) {
            Instant at = START.plus(STEP.multipliedBy(input));
            byte[] tick = inputSerde.write(
                    LogVerifier.INPUTS,
                    CellInputRecord.newBuilder()
                            .setAt(at)
                            .setTick(new TickRecord())
                            .build());
            log.add(LogVerifier.INPUTS, cell, at, key(""), tick);
            for (int index = 0; index < 2 * (input % 2); index++) {
                LedgerEvent event = chain.decision(input, at, "pending", decision(cell, input, index, at), "engine");
                log.add(
                        LogVerifier.LEDGER,
                        cell,
                        at,
                        key(Integer.toString(cell)),
                        ledgerSerde.write(LogVerifier.LEDGER, event));
            }
        }
    }

    static byte[] key(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static DecisionRecord decision(int cell, int input, int index, Instant at) {
        String name = "claim-%d-%d".formatted(input, index);
        return DecisionRecord.newBuilder()
                .setCell(cell)
                .setNumber(input)
                .setAt(at)
                .setClaimUid("uid-" + name)
                .setNamespace("team")
                .setName(name)
                .setItem(ItemIdRecord.newBuilder()
                        .setKind("claim")
                        .setNamespace("team")
                        .setName(name)
                        .build())
                .setPending(new PendingDecision("InsufficientDevices", "requested 2, free 1"))
                .build();
    }

    /** A record with an event that continues the chain after another event, with a valid hash. */
    static LogRecord forgedAfter(LogRecord before, MemoryLog log) {
        SchemaRegistry registry = log.registry();
        var serde = AvroSerde.of(LedgerEvent.class, registry);
        if (!(serde.read(before.topic(), before.value().orElseThrow())
                instanceof DecodeResult.Value<LedgerEvent>(LedgerEvent event))) {
            throw new IllegalArgumentException("not a ledger event: " + before.position());
        }
        LedgerEvent forged = new LedgerChain(before.partition(), event.getHash())
                .decision(
                        event.getOffset(),
                        event.getAt(),
                        "pending",
                        decision(before.partition(), 99, 0, event.getAt()),
                        "engine");
        return new LogRecord(
                before.topic(),
                before.partition(),
                before.offset(),
                before.timestamp(),
                before.key(),
                Optional.of(serde.write(before.topic(), forged)));
    }
}
