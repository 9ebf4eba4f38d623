package dev.claimstream.allocator.streams;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.allocation.cell.Alarm;
import dev.claimstream.allocation.cell.Decision;
import dev.claimstream.allocation.cell.IgnoredObservation;
import dev.claimstream.allocation.solver.Reason;
import dev.claimstream.dra.Kind;
import dev.claimstream.kafka.BadRecordReason;
import dev.claimstream.observability.MeterLabel;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Tests that the labels of the meters have the values that the code has. */
final class MeterLabelsTest {
    private static void assertValues(MeterLabel label, Stream<String> values) {
        List<String> all = values.toList();
        assertThat(label.valuesMax()).as(label.name()).isEqualTo(all.size());
        assertThat(all).allSatisfy(value -> assertThat(label.valuesText()).contains("`%s`".formatted(value)));
    }

    @Test
    void labelsListValuesOfEnumerations() {
        assertValues(
                MeterLabel.BAD_RECORD_REASON,
                Arrays.stream(BadRecordReason.values()).map(BadRecordReason::code));
        assertValues(
                MeterLabel.IGNORED_REASON,
                Arrays.stream(IgnoredObservation.IgnoredReason.values()).map(IgnoredObservation.IgnoredReason::text));
        assertValues(
                MeterLabel.DEVICE_ALARM, Arrays.stream(Alarm.AlarmType.values()).map(Alarm.AlarmType::text));
        assertValues(
                MeterLabel.ALARM,
                Stream.concat(
                        Arrays.stream(Alarm.AlarmType.values()).map(Alarm.AlarmType::text),
                        Stream.of(CellMeters.INPUT_FAILING)));
        assertValues(MeterLabel.KIND, Arrays.stream(Kind.values()).map(Kind::apiName));
        assertValues(MeterLabel.DECISION_RESULT, CellMeters.RESULTS.stream());
        assertThat(CellMeters.RESULTS).hasSize(Decision.DecisionResult.class.getPermittedSubclasses().length);
        assertThat(MeterLabel.PENDING_REASON.valuesMax()).isEqualTo(Reason.values().length + 1);
    }
}
