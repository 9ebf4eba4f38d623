package dev.claimstream.wire;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.allocation.cell.CellReport;
import dev.claimstream.allocation.cell.ClaimRow;
import dev.claimstream.allocation.cell.Decision;
import dev.claimstream.allocation.cell.Explanation;
import dev.claimstream.allocation.cell.Input;
import dev.claimstream.allocation.cell.Observation;
import dev.claimstream.allocation.cell.Output;
import dev.claimstream.allocation.cell.Row;
import dev.claimstream.allocation.cell.SchedulingRow;
import dev.claimstream.allocation.cell.Stamp;
import dev.claimstream.allocation.router.RouterInput;
import dev.claimstream.allocation.router.RouterRow;
import dev.claimstream.dra.ClusterObject;
import dev.claimstream.dra.ObjectMeta;
import dev.claimstream.schemas.CellInputRecord;
import dev.claimstream.schemas.DecisionRecord;
import dev.claimstream.schemas.ExplanationRecord;
import dev.claimstream.schemas.ObjectMetaRecord;
import dev.claimstream.schemas.PlacementRecord;
import dev.claimstream.schemas.RouterInputRecord;
import dev.claimstream.schemas.RouterStateRow;
import dev.claimstream.schemas.StateRow;
import java.io.IOException;
import java.time.Instant;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that random values are equal after conversion to an Avro record, to bytes and back. */
final class RoundTripTest {
    private static final int SEEDS = 100;
    private static final int VALUES = 10;
    private static final Instant AT = Instant.parse("2026-01-01T00:00:00.123456Z");

    static LongStream seeds() {
        return LongStream.range(0, SEEDS);
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void restoresObservation(long seed) throws IOException {
        var arbitrary = new ArbitraryValues(seed);
        for (int i = 0; i < VALUES; i++) {
            var observation = observation(arbitrary);
            var record = CellInputRecord.fromByteBuffer(input(observation).toByteBuffer());
            assertThat(CellInputReader.from(7, record)).contains(new Input(7, AT, observation));
        }
    }

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void buildersKeepEveryComponent(long seed) {
        var arbitrary = new ArbitraryValues(seed);
        for (int i = 0; i < VALUES; i++) {
            var item = arbitrary.of(SchedulingRow.ItemRow.class);
            var allocation = arbitrary.of(ClaimRow.AllocationRow.class);
            var location = arbitrary.of(RouterRow.ItemLocationRow.class);
            assertThat(item.toBuilder().build()).isEqualTo(item);
            assertThat(allocation.toBuilder().build()).isEqualTo(allocation);
            assertThat(location.toBuilder().build()).isEqualTo(location);
        }
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void restoresUpsertedObject(long seed) throws IOException {
        var arbitrary = new ArbitraryValues(seed);
        for (int i = 0; i < VALUES; i++) {
            var upserted =
                    new Observation.ObjectUpserted(new Stamp("watcher", 1, i), arbitrary.of(ClusterObject.class));
            var record = CellInputRecord.fromByteBuffer(input(upserted).toByteBuffer());
            assertThat(CellInputReader.from(7, record)).contains(new Input(7, AT, upserted));
        }
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void acceptsWrittenObservations(long seed) {
        var arbitrary = new ArbitraryValues(seed);
        for (int i = 0; i < VALUES; i++) {
            Observation observation = observation(arbitrary);
            CellInputRecord input = input(observation);
            assertThat(input.getInventory()
                            .flatMap(CellInputReader::problem)
                            .or(() -> input.getClaims().flatMap(CellInputReader::problem)))
                    .isEqualTo(
                            observation instanceof Observation.ObjectUpserted upserted
                                    ? ObjectValidator.violation(upserted.object())
                                    : Optional.empty());
        }
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void restoresStateRow(long seed) throws IOException {
        var arbitrary = new ArbitraryValues(seed);
        for (int i = 0; i < VALUES; i++) {
            Row row = arbitrary.of(Row.class);
            assertThat(StateRowCodec.from(
                            StateRow.fromByteBuffer(StateRowCodec.to(row).toByteBuffer())))
                    .isEqualTo(row);
        }
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void restoresRouterRow(long seed) throws IOException {
        var arbitrary = new ArbitraryValues(seed);
        for (int i = 0; i < VALUES; i++) {
            RouterRow row = arbitrary.of(RouterRow.class);
            assertThat(RouterRowCodec.from(
                            RouterStateRow.fromByteBuffer(RouterRowCodec.to(row).toByteBuffer())))
                    .isEqualTo(row);
        }
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void restoresCellReport(long seed) throws IOException {
        var arbitrary = new ArbitraryValues(seed);
        for (int i = 0; i < VALUES; i++) {
            CellReport report = arbitrary.of(CellReport.class);
            var record = RouterInputRecord.fromByteBuffer(
                    RouterInputCodec.to(3, report, 17, AT).toByteBuffer());
            assertThat(RouterInputCodec.from(7, record))
                    .contains(new RouterInput(7, AT, new RouterInput.RouterEvent.ReportInput(3, report, 17)));
        }
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void restoresObservationForRouter(long seed) throws IOException {
        var arbitrary = new ArbitraryValues(seed);
        Observation observation = observation(arbitrary);
        var record = RouterInputRecord.fromByteBuffer(
                RouterInputCodec.to(input(observation)).toByteBuffer());
        assertThat(RouterInputCodec.from(7, record))
                .contains(new RouterInput(
                        7,
                        AT,
                        switch (observation) {
                            case Observation.DecisionRestored(Decision decision) ->
                                new RouterInput.RouterEvent.RestoredDecision(0, decision);
                            default -> new RouterInput.RouterEvent.ObservationInput(observation);
                        }));
    }

    @Test
    void restoresNodePlacementForRouter() throws IOException {
        var record = RouterInputRecord.fromByteBuffer(
                RouterInputCodec.to(new PlacementRecord("node-1", 3, AT), AT).toByteBuffer());
        assertThat(RouterInputCodec.from(7, record))
                .contains(new RouterInput(7, AT, new RouterInput.RouterEvent.RestoredPlacement("node-1", 3)));
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void restoresDecision(long seed) throws IOException {
        var arbitrary = new ArbitraryValues(seed);
        for (int i = 0; i < VALUES; i++) {
            Decision decision = arbitrary.of(Decision.class);
            var record = DecisionRecord.fromByteBuffer(
                    DecisionCodec.to(decision, 1, AT).toByteBuffer());
            assertThat(DecisionCodec.from(record)).isEqualTo(decision);
            assertThat(record.getAt()).isEqualTo(AT);
        }
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void restoresExplanation(long seed) throws IOException {
        var arbitrary = new ArbitraryValues(seed);
        for (int i = 0; i < VALUES; i++) {
            Explanation explanation = arbitrary.of(Explanation.class);
            var record = ExplanationRecord.fromByteBuffer(
                    ExplanationCodec.to(explanation, AT).toByteBuffer());
            assertThat(ExplanationCodec.from(record)).isEqualTo(explanation);
            assertThat(ExplanationCodec.probeAnswer(record)).isEmpty();
        }
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void restoresProbeAnswer(long seed) throws IOException {
        var arbitrary = new ArbitraryValues(seed);
        for (int i = 0; i < VALUES; i++) {
            Output.ProbeAnswered answered = arbitrary.of(Output.ProbeAnswered.class);
            var record = ExplanationRecord.fromByteBuffer(
                    ExplanationCodec.probeAnswerRecord(answered, AT).toByteBuffer());
            assertThat(ExplanationCodec.probeAnswer(record)).contains(answered);
        }
    }

    /** Otherwise a variant that is never created would count as tested. */
    @Test
    void createsEveryRecordTypeFromSeeds() {
        Set<Class<?>> createdTypes = new LinkedHashSet<>();
        seeds().forEach(seed -> createdTypes.addAll(recordTypesOf(seed)));
        var expected = Stream.of(
                        Observation.class,
                        Row.class,
                        Decision.class,
                        Explanation.class,
                        RouterRow.class,
                        CellReport.class)
                .flatMap(root -> ArbitraryValues.records(root).stream())
                .toList();
        assertThat(createdTypes).containsAll(expected);
    }

    private static Set<Class<?>> recordTypesOf(long seed) {
        var arbitraries =
                Stream.generate(() -> new ArbitraryValues(seed)).limit(7).toList();
        for (int i = 0; i < VALUES; i++) {
            observation(arbitraries.get(0));
            arbitraries.get(1).of(Row.class);
            arbitraries.get(2).of(Decision.class);
            arbitraries.get(3).of(Explanation.class);
            arbitraries.get(4).of(ClusterObject.class);
            arbitraries.get(5).of(RouterRow.class);
            arbitraries.get(6).of(CellReport.class);
        }
        var createdTypes = new LinkedHashSet<Class<?>>();
        arbitraries.forEach(each -> createdTypes.addAll(each.createdTypes()));
        return createdTypes;
    }

    @ParameterizedTest
    @ValueSource(strings = {"2026-01-01T00:00:00.123456789Z", "1969-12-31T23:59:59.999999999Z"})
    void truncatesInstantToMicroseconds(String text) throws IOException {
        var meta = ObjectMeta.builder("", "n", "u")
                .created(Optional.of(Instant.parse(text)))
                .build();
        var back = MetadataCodec.from(
                ObjectMetaRecord.fromByteBuffer(MetadataCodec.to(meta).toByteBuffer()));
        assertThat(back.created())
                .contains(Instant.parse(text.replace("789Z", "Z").replace("999999999Z", "999999Z")));
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void writesDeletionWithIdentityOfObject(long seed) throws IOException {
        var arbitrary = new ArbitraryValues(seed);
        for (int i = 0; i < VALUES; i++) {
            ClusterObject object = arbitrary.of(ClusterObject.class);
            Stamp stamp = arbitrary.of(Stamp.class);
            var deleted = new Observation.ObjectDeleted(
                    stamp, object.kind(), object.key(), object.meta().uid());
            var record = CellInputRecord.fromByteBuffer(InputRecords.inputOf(PublicRecord.deletion(stamp, object))
                    .setAt(AT)
                    .build()
                    .toByteBuffer());
            assertThat(CellInputReader.from(7, record)).contains(new Input(7, AT, deleted));
        }
    }

    private static Observation observation(ArbitraryValues arbitrary) {
        return arbitrary.of(Observation.class);
    }

    private static CellInputRecord input(Observation observation) {
        return CellInputWriter.to(observation, AT);
    }
}
