package dev.claimstream.audit.streams;

import dev.claimstream.allocation.cell.Decision;
import dev.claimstream.allocation.cell.Output;
import dev.claimstream.schemas.AlarmRecord;
import dev.claimstream.schemas.DecisionRecord;
import dev.claimstream.schemas.LedgerEvent;
import dev.claimstream.wire.AlarmCodec;
import dev.claimstream.wire.DecisionCodec;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import org.apache.avro.io.BinaryEncoder;
import org.apache.avro.io.EncoderFactory;
import org.apache.avro.specific.SpecificDatumWriter;
import org.jspecify.annotations.Nullable;

/** Links the ledger events of a cell by their hashes, so that a changed or missing event is detected. */
public final class LedgerChain {
    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    private static final SpecificDatumWriter<LedgerEvent> WRITER = new SpecificDatumWriter<>(LedgerEvent.class);

    private final int cell;
    private final MessageDigest digest = sha256();
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private @Nullable BinaryEncoder encoder;
    private ByteBuffer last;
    private long lastOffset = -1;
    private int index;

    /** @param last hash of the last event; empty for none */
    public LedgerChain(int cell, ByteBuffer last) {
        this.cell = cell;
        this.last = last;
    }

    /** The hash of the last event. */
    public ByteBuffer last() {
        return last;
    }

    /** Continues after an event of this hash. */
    void resume(ByteBuffer hash) {
        last = hash;
    }

    /** Makes the event of a decision. The event contains the record of the decision. */
    public LedgerEvent decision(long offset, Instant at, Decision decision, String engine) {
        return decision(offset, at, name(decision), DecisionCodec.to(decision, cell, at), engine);
    }

    /** Makes the event of the record of a decision. */
    public LedgerEvent decision(long offset, Instant at, String event, DecisionRecord decision, String engine) {
        return append(offset, at, event, decision, null, null, engine);
    }

    private static String name(Decision decision) {
        return switch (decision.result()) {
            case Decision.DecisionResult.Allocated _ -> "allocated";
            case Decision.DecisionResult.Pending _ -> "pending";
            case Decision.DecisionResult.Revoked _ -> "revoked";
            case Decision.DecisionResult.Deallocation _ -> "deallocation";
            case Decision.DecisionResult.Released _ -> "released";
        };
    }

    /** Makes the event of an alarm that begins or ends. */
    public LedgerEvent alarm(long offset, Instant at, Output.AlarmChanged alarm, String engine) {
        String event = alarm.isCleared() ? "alarm-cleared" : "alarm";
        return append(offset, at, event, null, AlarmCodec.to(alarm.alarm()), null, engine);
    }

    /** Makes a snapshot event with the hash of the state after an input. */
    public LedgerEvent snapshot(long offset, Instant at, ByteBuffer stateHash, String engine) {
        return append(offset, at, "snapshot", null, null, stateHash, engine);
    }

    /** Makes the event of a rebuild, after which the cell is empty. */
    public LedgerEvent rebuild(long offset, Instant at, String engine) {
        return append(offset, at, "rebuild", null, null, null, engine);
    }

    /** Appends an event. Hash and event share their objects: a copy may have its maps in another order, and so other bytes. */
    private LedgerEvent append(
            long offset,
            Instant at,
            String event,
            @Nullable DecisionRecord decision,
            @Nullable AlarmRecord alarm,
            @Nullable ByteBuffer stateHash,
            String engine) {
        index = offset == lastOffset ? index + 1 : 0;
        lastOffset = offset;
        var open = new LedgerEvent(cell, offset, index, at, event, decision, alarm, stateHash, engine, last, NOTHING);
        last = hash(open);
        return new LedgerEvent(
                cell, offset, index, at, event, decision, alarm, stateHash, engine, open.getPreviousHash(), last);
    }

    private ByteBuffer hash(LedgerEvent open) {
        try {
            bytes.reset();
            encoder = EncoderFactory.get().directBinaryEncoder(bytes, encoder);
            WRITER.write(open, encoder);
            digest.update(last.duplicate());
            return ByteBuffer.wrap(digest.digest(bytes.toByteArray()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }
}
