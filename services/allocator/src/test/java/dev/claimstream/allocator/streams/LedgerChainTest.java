package dev.claimstream.allocator.streams;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.claimstream.allocation.cell.Decision;
import dev.claimstream.allocation.cell.ItemId;
import dev.claimstream.audit.streams.LedgerChain;
import dev.claimstream.dra.Allocation;
import dev.claimstream.dra.DeviceId;
import dev.claimstream.dra.DeviceResult;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.Quantity;
import dev.claimstream.schemas.DecisionRecord;
import dev.claimstream.schemas.LedgerEvent;
import dev.claimstream.wire.DecisionCodec;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Hash chain of ledger events: intact, with a missing event and with a changed event. */
final class LedgerChainTest {
    private static final Instant AT = Instant.parse("2026-01-01T00:00:00Z");

    @Test
    void hashCoversSentBytes() {
        List<LedgerEvent> events = events();
        LedgerVerifier.verifyLinks(events);
        LedgerVerifier.verify(events.stream().map(LedgerVerifier::bytes).toList());
    }

    @Test
    void verificationFailsWhenEventIsMissing() {
        List<byte[]> events =
                new ArrayList<>(events().stream().map(LedgerVerifier::bytes).toList());
        events.remove(1);
        assertThatThrownBy(() -> LedgerVerifier.verify(events)).isInstanceOf(AssertionError.class);
    }

    @Test
    void verificationFailsWhenEventIsChanged() {
        List<byte[]> events = events().stream().map(LedgerVerifier::bytes).toList();
        events.get(1)[0] ^= 2;
        assertThatThrownBy(() -> LedgerVerifier.verify(events)).isInstanceOf(AssertionError.class);
    }

    private static List<LedgerEvent> events() {
        var chain = new LedgerChain(3, ByteBuffer.allocate(0));
        var events = new ArrayList<LedgerEvent>();
        for (int i = 0; i < 4; i++) {
            events.add(chain.decision(10 + i, AT, "allocated", decision(i), "engine"));
        }
        return events;
    }

    /** A decision with a map of many names, whose order is part of the bytes. */
    private static DecisionRecord decision(int number) {
        var consumed = new TreeMap<String, Quantity>();
        for (int i = 0; i < 20; i++) {
            consumed.put("capacity-" + i * number, Quantity.of(i));
        }
        var result = DeviceResult.builder("gpus", new DeviceId("gpu.example.com", "node-1", "gpu-0"))
                .shareId(Optional.of("share"))
                .consumedCapacity(consumed)
                .build();
        var allocation = new Allocation(List.of(result), List.of(), Optional.empty(), Optional.of(AT));
        var claim = new ObjectKey("team", "a");
        return DecisionCodec.to(
                new Decision(
                        claim,
                        "uid-a",
                        number,
                        ItemId.claim(claim),
                        new Decision.DecisionResult.Allocated("node-1", allocation, List.of())),
                3,
                AT);
    }
}
