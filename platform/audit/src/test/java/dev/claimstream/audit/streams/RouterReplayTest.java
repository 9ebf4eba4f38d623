package dev.claimstream.audit.streams;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.audit.AuditLog;
import dev.claimstream.audit.LogRecord;
import dev.claimstream.audit.LogVerifier;
import dev.claimstream.audit.LogVerifier.TimeRange;
import dev.claimstream.audit.MemoryLog;
import dev.claimstream.audit.streams.LogReplay.CellSummary;
import dev.claimstream.audit.streams.LogReplay.ReplayReport;
import dev.claimstream.kafka.AvroSerde;
import dev.claimstream.kafka.DecodeResult;
import dev.claimstream.schemas.DecisionRecord;
import dev.claimstream.schemas.LedgerEvent;
import dev.claimstream.schemas.PendingDecision;
import dev.claimstream.selectors.CelSelectors;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests replays of the ledger of the router: unchanged, changed, and with lost inputs. */
final class RouterReplayTest {
    private static final int STEPS = 150;

    private static ReplayReport replay(AuditLog log) {
        return new LogReplay(log, new CelSelectors()).run();
    }

    private static CellSummary router(ReplayReport report) {
        return report.cells().getLast();
    }

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2, 3})
    void replaysRouterAlike(long seed) {
        MemoryLog log = RecordedFleet.random(seed, STEPS).log();
        ReplayReport report = replay(log);
        assertThat(report.divergence()).isEmpty();
        assertThat(report.notReplayed()).isEmpty();
        assertThat(report.cells()).extracting(CellSummary::name).containsExactly("cell 0", "cell 1", "router");
        assertThat(router(report).events())
                .isPositive()
                .isEqualTo(log.of(LogVerifier.LEDGER, RecordedFleet.CELLS).size());
        assertThat(LogVerifier.verify(log, TimeRange.ALL).findings()).isEmpty();
    }

    /** The events of the router up to the last pending one, with another message of this one: a valid chain. */
    private static MemoryLog withForgedEnd(MemoryLog log) {
        MemoryLog changed = log.copy();
        List<LogRecord> events = changed.of(LogVerifier.LEDGER, RecordedFleet.CELLS);
        while (event(log, events.getLast())
                .getDecision()
                .flatMap(DecisionRecord::getPending)
                .isEmpty()) {
            events.removeLast();
        }
        LogRecord last = events.removeLast();
        LedgerEvent event = event(log, last);
        DecisionRecord decision = event.getDecision().orElseThrow();
        PendingDecision pending = PendingDecision.newBuilder(
                        decision.getPending().orElseThrow())
                .setMessage("forged")
                .build();
        LedgerEvent forged = new LedgerChain(RecordedFleet.CELLS, event.getPreviousHash())
                .decision(
                        event.getOffset(),
                        event.getAt(),
                        event.getEvent(),
                        DecisionRecord.newBuilder(decision).setPending(pending).build(),
                        event.getEngine());
        changed.add(
                LogVerifier.LEDGER,
                RecordedFleet.CELLS,
                last.timestamp(),
                last.key().orElseThrow(),
                AvroSerde.of(LedgerEvent.class, log.registry()).write(last.topic(), forged));
        return changed;
    }

    private static LedgerEvent event(MemoryLog log, LogRecord record) {
        return switch (AvroSerde.of(LedgerEvent.class, log.registry())
                .read(record.topic(), record.value().orElseThrow())) {
            case DecodeResult.Value<LedgerEvent>(LedgerEvent event) -> event;
            default -> throw new IllegalStateException("not an event: " + record.position());
        };
    }

    @Test
    void namesItemOfChangedEvent() {
        MemoryLog changed = withForgedEnd(RecordedFleet.random(1, STEPS).log());
        assertThat(LogVerifier.verify(changed, TimeRange.ALL).findings())
                .as("the chain is valid")
                .isEmpty();
        Divergence divergence = replay(changed).divergence().orElseThrow();
        assertThat(divergence.location()).startsWith("router, input ").endsWith(" of router.in");
        assertThat(divergence.recorded()).singleElement().asString().contains("forged");
        assertThat(divergence.replayed()).singleElement().asString().doesNotContain("forged");
        assertThat(divergence.state())
                .hasSizeBetween(2, 8)
                .first()
                .asString()
                .startsWith("router: 2 cells, pending items");
        assertThat(divergence.state().get(1)).startsWith("claim team/claim-");
        var shadow = new ShadowReplay(changed, new CelSelectors(), Optional.empty());
        assertThat(shadow.advance()).containsExactly(divergence);
    }

    @Test
    void findsMissingInput() {
        MemoryLog changed = RecordedFleet.random(1, STEPS).log().copy();
        List<LogRecord> shorter = new ArrayList<>(changed.of(LogVerifier.ROUTER_INPUTS, 0));
        changed.of(LogVerifier.ROUTER_INPUTS, 0).clear();
        changed.of(LogVerifier.ROUTER_INPUTS, 0).addAll(shorter.subList(0, 60));
        assertThat(replay(changed).divergence().flatMap(Divergence::cause).orElseThrow())
                .contains("router.in, partition 0, ends at offset 60");
    }

    @Test
    void namesRouterWithoutItsFirstInputs() {
        MemoryLog later = RecordedFleet.random(1, STEPS).log().copy();
        later.expire(LogVerifier.ROUTER_INPUTS, 0, 3);
        ReplayReport report = replay(later);
        assertThat(report.divergence()).isEmpty();
        assertThat(report.cells()).hasSize(RecordedFleet.CELLS);
        assertThat(report.notReplayed())
                .containsExactly(
                        "router: not replayed, because its first inputs are deleted or erased, and no rebuild follows them");
        assertThat(new ShadowReplay(later, new CelSelectors(), Optional.empty()).notReplayed())
                .contains(report.notReplayed().getFirst());
    }

    @Test
    void beginsAtRebuild() {
        RecordedFleet fleet = RecordedFleet.random(1, STEPS);
        long rebuild = fleet.rebuildRouter();
        fleet.change(STEPS);
        MemoryLog log = fleet.log();
        assertThat(replay(log).divergence()).isEmpty();
        MemoryLog later = log.copy();
        later.expire(LogVerifier.ROUTER_INPUTS, 0, 5);
        ReplayReport report = replay(later);
        assertThat(report.divergence()).isEmpty();
        assertThat(report.notReplayed()).isEmpty();
        assertThat(router(report).from()).isEqualTo(rebuild);
        assertThat(router(report).events()).isPositive();
    }
}
