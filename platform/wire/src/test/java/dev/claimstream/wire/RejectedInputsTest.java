package dev.claimstream.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.claimstream.allocation.cell.Stamp;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.Taint;
import dev.claimstream.schemas.CellInputRecord;
import dev.claimstream.schemas.CellSettingsRecord;
import dev.claimstream.schemas.DecisionRecord;
import dev.claimstream.schemas.DeletionMarker;
import dev.claimstream.schemas.DeviceCapacityRecord;
import dev.claimstream.schemas.DeviceRecord;
import dev.claimstream.schemas.ItemIdRecord;
import dev.claimstream.schemas.Liveness;
import dev.claimstream.schemas.PendingDecision;
import dev.claimstream.schemas.ResourceSliceRecord;
import dev.claimstream.schemas.StaleMarker;
import dev.claimstream.schemas.StateRow;
import dev.claimstream.schemas.SyncMarker;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests that the intake rejects invalid records with the reason, and that the codecs throw on invalid rows. */
final class RejectedInputsTest {
    private static final Stamp STAMP = new Stamp("watcher", 1, 1);
    private static final Instant AT = Instant.parse("2026-01-01T00:00:00Z");

    @Test
    void rejectsEmptySource() {
        var inventory = InputRecords.inventory(new Stamp("", 1, 1))
                .setStale(new StaleMarker("Node"))
                .build();
        assertThat(CellInputReader.problem(inventory)).contains("the source is empty: name the producer");
        var claims = InputRecords.claims(new Stamp("", 1, 1))
                .setStale(new StaleMarker("Pod"))
                .build();
        assertThat(CellInputReader.problem(claims)).contains("the source is empty: name the producer");
    }

    @Test
    void rejectsEmptyEnvelope() {
        assertThat(CellInputReader.problem(InputRecords.inventory(STAMP).build()))
                .contains("no known field is set");
        assertThat(CellInputReader.problem(InputRecords.claims(STAMP).build())).contains("no known field is set");
    }

    /** The intake rejects an empty input. The cell skips one that an older intake accepted. */
    @Test
    void skipsEmptyInputOfCell() {
        assertThat(CellInputReader.from(
                        0, CellInputRecord.newBuilder().setAt(AT).build()))
                .isEmpty();
    }

    @Test
    void rejectsUnknownKind() {
        var deletion = InputRecords.claims(STAMP)
                .setDeleted(new DeletionMarker("Job", "ns", "a", "u"))
                .build();
        assertThat(CellInputReader.problem(deletion)).contains("kind Job is not known");
        var synced = InputRecords.inventory(STAMP)
                .setSynced(new SyncMarker("Lease", 1L, 1L, 0L))
                .build();
        assertThat(CellInputReader.problem(synced)).contains("kind Lease is not known");
        var stale = InputRecords.inventory(STAMP).setStale(new StaleMarker("")).build();
        assertThat(CellInputReader.problem(stale)).contains("kind  is not known");
    }

    /** Otherwise a producer that may publish only slices could delete claims. */
    @ParameterizedTest
    @EnumSource(Kind.class)
    void rejectsKindOnWrongTopic(Kind kind) {
        String name = kind.apiName();
        boolean isInventory = PublicRecord.isInventory(kind);
        var inventory =
                Optional.of(name + " belongs to claims.v1, not to inventory.v1").filter(text -> !isInventory);
        var claims =
                Optional.of(name + " belongs to inventory.v1, not to claims.v1").filter(text -> isInventory);
        var deletion = new DeletionMarker(name, "ns", "a", "u");
        var synced = new SyncMarker(name, 1L, 1L, 0L);
        var stale = new StaleMarker(name);
        assertThat(CellInputReader.problem(
                        InputRecords.inventory(STAMP).setDeleted(deletion).build()))
                .isEqualTo(inventory);
        assertThat(CellInputReader.problem(
                        InputRecords.inventory(STAMP).setSynced(synced).build()))
                .isEqualTo(inventory);
        assertThat(CellInputReader.problem(
                        InputRecords.inventory(STAMP).setStale(stale).build()))
                .isEqualTo(inventory);
        assertThat(CellInputReader.problem(
                        InputRecords.claims(STAMP).setDeleted(deletion).build()))
                .isEqualTo(claims);
        assertThat(CellInputReader.problem(
                        InputRecords.claims(STAMP).setSynced(synced).build()))
                .isEqualTo(claims);
        assertThat(CellInputReader.problem(
                        InputRecords.claims(STAMP).setStale(stale).build()))
                .isEqualTo(claims);
    }

    @Test
    void rejectsUnknownLivenessState() {
        var sleeping = InputRecords.inventory(STAMP)
                .setLiveness(new Liveness("node-1", "sleeping", AT))
                .build();
        assertThat(CellInputReader.problem(sleeping))
                .contains("liveness of node node-1: state sleeping is neither silent nor alive");
    }

    @Test
    void rejectsInvalidQuantity() {
        var capacity = new DeviceCapacityRecord("40 gigabytes", null);
        var device = DeviceRecord.newBuilder()
                .setName("gpu-0")
                .setAttributes(Map.of())
                .setCapacity(Map.of("memory", capacity))
                .build();
        var slice = ResourceSliceRecord.newBuilder()
                .setMeta(MetadataCodec.to(dev.claimstream.dra.ObjectMeta.of("", "s", "u")))
                .setDriver("gpu.example.com")
                .setPool("p")
                .setGeneration(1)
                .setResourceSliceCount(1)
                .setScope(MetadataCodec.to(new dev.claimstream.dra.NodeScope.AllNodes()))
                .setDevices(java.util.List.of(device))
                .build();
        assertThat(CellInputReader.problem(
                        InputRecords.inventory(STAMP).setSlice(slice).build()))
                .hasValueSatisfying(problem -> assertThat(problem).contains("quantit"));
    }

    // ---- written by Claimstream only: an error is better than a wrong decision

    @Test
    void rejectsStateRowOfUnknownType() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> StateRowCodec.from(StateRow.newBuilder().build()))
                .withMessageStartingWith("a state row of an unknown kind");
    }

    @Test
    void rejectsDecisionOfUnknownType() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> DecisionCodec.from(decision().build()))
                .withMessage(
                        "decision 4 on ns/a: none of allocated, pending, revoked, deallocation and released is set");
    }

    @Test
    void rejectsUnknownReason() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> DecisionCodec.from(
                        decision().setPending(new PendingDecision("Tired", "")).build()))
                .withMessageContaining("Tired");
    }

    private static DecisionRecord.Builder decision() {
        return DecisionRecord.newBuilder()
                .setCell(0)
                .setNumber(4)
                .setAt(AT)
                .setClaimUid("u")
                .setNamespace("ns")
                .setName("a")
                .setItem(new ItemIdRecord("claim", "ns", "a"));
    }

    @Test
    void usesDefaultsForMissingSettings() {
        var settings = SettingsCodec.from(new CellSettingsRecord("", Map.of()));
        assertThat(settings).isEqualTo(dev.claimstream.allocation.cell.CellSettings.defaults());
    }

    @Test
    void rejectsInvalidSettings() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> SettingsCodec.from(new CellSettingsRecord("", Map.of("policy", "worst-fit"))))
                .withMessage("policy worst-fit is not known");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> SettingsCodec.from(new CellSettingsRecord("", Map.of("search-steps-max", "many"))))
                .withMessage("setting search-steps-max: many is not a number");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> SettingsCodec.from(new CellSettingsRecord("", Map.of("overtaken-max", "4294967296"))))
                .withMessage("setting overtaken-max: 4294967296 is not a number of 32 bits");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> SettingsCodec.from(new CellSettingsRecord("", Map.of("cool-down-ms", "-1"))))
                .withMessage("cool-down is PT-0.001S, it cannot be negative");
        assertThatIllegalArgumentException()
                .isThrownBy(
                        () -> SettingsCodec.from(new CellSettingsRecord("", new TreeMap<>(Map.of("sources.Job", "a")))))
                .withMessage("kind Job is not known");
    }

    @Test
    void restoresTaintWithoutTime() {
        var taint = new Taint("k", "", "NoSchedule", Optional.empty());
        assertThat(MetadataCodec.from(MetadataCodec.to(taint))).isEqualTo(taint);
    }
}
