package dev.claimstream.wire;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.allocation.cell.Decision;
import dev.claimstream.allocation.cell.Explanation;
import dev.claimstream.allocation.cell.Input;
import dev.claimstream.allocation.cell.Observation;
import dev.claimstream.allocation.cell.Output;
import dev.claimstream.allocation.cell.Row;
import dev.claimstream.allocation.cell.Stamp;
import dev.claimstream.dra.ClusterObject;
import dev.claimstream.dra.ObjectMeta;
import dev.claimstream.schemas.CellInput;
import dev.claimstream.schemas.DecisionRecord;
import dev.claimstream.schemas.ExplanationRecord;
import dev.claimstream.schemas.Origin;
import dev.claimstream.schemas.StateRow;
import java.io.IOException;
import java.time.Instant;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Value → record → bytes → record → value. */
final class RoundTripTest {
    private static final int SEEDS = 100;
    private static final Instant AT = Instant.parse("2026-01-01T00:00:00.123456Z");
    private static final int PARTITION = 2;
    private static final int PARTITIONS = 3;

    static LongStream seeds() {
        return LongStream.range(0, SEEDS);
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void anObservationComesBackAsItWas(long seed) throws IOException {
        var observation = observation(new Arbitrary(seed));
        var record = CellInput.fromByteBuffer(input(observation).toByteBuffer());
        assertThat(Inputs.from(7, record)).contains(new Input(7, AT, observation));
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void anObservationThatWeMakeIsTakenAtTheDoor(long seed) {
        CellInput input = input(observation(new Arbitrary(seed)));
        assertThat(input.getInventory().flatMap(Inputs::problem)).isEmpty();
        assertThat(input.getClaims().flatMap(Inputs::problem)).isEmpty();
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void aRowComesBackAsItWas(long seed) throws IOException {
        Row row = new Arbitrary(seed).of(Row.class);
        assertThat(Rows.from(StateRow.fromByteBuffer(Rows.to(row).toByteBuffer())))
                .isEqualTo(row);
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void aDecisionComesBackAsItWas(long seed) throws IOException {
        Decision decision = new Arbitrary(seed).of(Decision.class);
        var record = DecisionRecord.fromByteBuffer(Decisions.to(decision, 1, AT).toByteBuffer());
        assertThat(Decisions.from(record)).isEqualTo(decision);
        assertThat(record.getAt()).isEqualTo(AT);
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void anExplanationComesBackAsItWas(long seed) throws IOException {
        Explanation explanation = new Arbitrary(seed).of(Explanation.class);
        var record = ExplanationRecord.fromByteBuffer(
                Explanations.to(explanation, AT).toByteBuffer());
        assertThat(Explanations.from(record)).isEqualTo(explanation);
        assertThat(Explanations.answer(record)).isEmpty();
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void anAnswerToAProbeComesBackAsItWas(long seed) throws IOException {
        Output.Answered answered = new Arbitrary(seed).of(Output.Answered.class);
        var record = ExplanationRecord.fromByteBuffer(
                Explanations.answered(answered, AT).toByteBuffer());
        assertThat(Explanations.answer(record)).contains(answered);
    }

    /** So that a variant that nobody makes does not pass for one that works. */
    @Test
    void theSeedsMakeEveryRecordThereIs() {
        Set<Class<?>> made = new LinkedHashSet<>();
        seeds().forEach(seed -> made.addAll(madeWith(seed)));
        var wanted = Stream.of(Observation.class, Row.class, Decision.class, Explanation.class)
                .flatMap(root -> Arbitrary.records(root).stream())
                .toList();
        assertThat(made).containsAll(wanted);
    }

    private static Set<Class<?>> madeWith(long seed) {
        var made = new LinkedHashSet<Class<?>>();
        var observations = new Arbitrary(seed);
        var rows = new Arbitrary(seed);
        var others = new Arbitrary(seed);
        made.add(observation(observations).getClass());
        made.add(rows.of(Row.class).getClass());
        made.add(others.of(Decision.class).getClass());
        made.add(others.of(Explanation.class).getClass());
        Stream.of(observations, rows, others).forEach(each -> made.addAll(each.made()));
        return made;
    }

    @ParameterizedTest
    @ValueSource(strings = {"2026-01-01T00:00:00.123456789Z", "1969-12-31T23:59:59.999999999Z"})
    void anInstantIsCutToMicroseconds(String text) throws IOException {
        var meta = new ObjectMeta(
                "",
                "n",
                "u",
                Optional.of(Instant.parse(text)),
                0,
                new TreeMap<>(),
                new TreeMap<>(),
                Optional.empty(),
                false);
        var back = MetaWire.from(dev.claimstream.schemas.ObjectMeta.fromByteBuffer(
                MetaWire.to(meta).toByteBuffer()));
        assertThat(back.created())
                .contains(Instant.parse(text.replace("789Z", "Z").replace("999999999Z", "999999Z")));
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void anObjectThatIsGoneIsNamedByWhatItWas(long seed) throws IOException {
        var arbitrary = new Arbitrary(seed);
        ClusterObject object = arbitrary.of(ClusterObject.class);
        Stamp stamp = arbitrary.of(Stamp.class);
        var gone = new Observation.Gone(
                stamp, object.kind(), object.key(), object.meta().uid());
        var record = CellInput.fromByteBuffer(
                Sent.placed(Published.gone(stamp, object)).setAt(AT).build().toByteBuffer());
        assertThat(Inputs.from(7, record)).contains(new Input(7, AT, gone));
    }

    private static Observation observation(Arbitrary arbitrary) {
        return switch (arbitrary.of(Observation.class)) {
            case Observation.Listed listed ->
                new Observation.Listed(listed.stamp(), listed.kind(), PARTITION, PARTITIONS);
            case Observation other -> other;
        };
    }

    private static CellInput input(Observation observation) {
        return Sent.input(observation)
                .setAt(AT)
                .setOrigin(new Origin("a-topic", PARTITION, PARTITIONS, 0L))
                .build();
    }
}
