package dev.claimstream.allocator.streams;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.claimstream.allocation.cell.Alarm;
import dev.claimstream.allocation.cell.Output;
import dev.claimstream.dra.DeviceId;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.observability.Health;
import dev.claimstream.observability.Meters;
import dev.claimstream.observability.Traces;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Reports of device conflicts that persist for the grace period, appear, change and end. */
final class DoubleAllocationsTest {
    private static final DeviceId GPU = new DeviceId("gpu.example.com", "node-1", "gpu-0");
    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

    private static Alarm alarm(String claims) {
        List<ObjectKey> all = Arrays.stream(claims.split("\\+", -1))
                .map(name -> new ObjectKey("team", name))
                .toList();
        return new Alarm(Alarm.AlarmType.CONFLICT, GPU, all);
    }

    /**
     * One step a second: the claims on the device from then on; {@code -} for at most one claim, {@code .} for no
     * change.
     */
    @ParameterizedTest(name = "{0}: {1}")
    @CsvSource(delimiter = '|', textBlock = """
            both keep it                         | a+b . . . . .     | 3 a+b
            the old one lets go in time          | a+b . - . . .     |
            it lets go in the last moment        | a+b . . - . .     | 3 a+b, over
            told, and over                       | a+b . . . - .     | 3 a+b, over
            again: from the beginning            | a+b . - a+b . .   |
            it is handed on and on               | a+b . b+c . c+d . |
            a third one comes: the two go on     | a+b . a+b+c . .   | 3 a+b+c
            a third one comes after it was told  | a+b . . . a+b+c   | 3 a+b, 4 a+b+c
            others have it for a moment          | a+b . . . c+d -   | 3 a+b, over
            others have it, the first ones told  | a+b . . . c+d . . . | 3 a+b, 7 c+d
            """)
    void reportsConflictThatPersistsForGracePeriodOnce(String what, String steps, String expected) {
        var contests = new DoubleAllocations(Duration.ofSeconds(3));
        Alarm last = alarm("a+b");
        List<String> reported = new ArrayList<>();
        String[] all = steps.split(" ", -1);
        for (int second = 0; second < all.length; second++) {
            Instant now = START.plusSeconds(second);
            for (var due : contests.takeDue(now)) {
                reported.add(second + " " + names(due.alarm()));
            }
            switch (all[second]) {
                case "." -> {}
                case "-" -> {
                    if (contests.remove(last)) {
                        reported.add("over");
                    }
                }
                default -> {
                    last = alarm(all[second]);
                    contests.put(0, last, now);
                    contests.takeDue(now)
                            .forEach(due -> reported.add(
                                    now.getEpochSecond() - START.getEpochSecond() + " " + names(due.alarm())));
                }
            }
        }
        assertThat(String.join(", ", reported)).as(what).isEqualTo(expected == null ? "" : expected);
    }

    private static String names(Alarm alarm) {
        return String.join("+", alarm.claims().stream().map(ObjectKey::name).toList());
    }

    @Test
    void reportsRestoredConflictAfterGracePeriod() {
        var contests = new DoubleAllocations(Duration.ofSeconds(3));
        contests.restore(2, List.of(alarm("a+b")), START);
        contests.restore(2, List.of(alarm("a+b")), START.plusSeconds(2));
        assertThat(contests.takeDue(START.plusSeconds(2))).isEmpty();
        assertThat(contests.isReported(GPU)).isFalse();
        assertThat(contests.takeDue(START.plusSeconds(3)))
                .containsExactly(new DoubleAllocations.DueAlarm(2, alarm("a+b")));
        assertThat(contests.isReported(GPU)).isTrue();
        assertThat(contests.takeDue(START.plusSeconds(4))).as("once").isEmpty();
    }

    @Test
    void forgetsConflictsOfRemovedCell() {
        var contests = new DoubleAllocations(Duration.ofSeconds(3));
        contests.put(2, alarm("a+b"), START);
        contests.removeCell(2);
        assertThat(contests.takeDue(START.plusSeconds(9))).isEmpty();
        assertThat(contests.remove(alarm("a+b"))).isFalse();
    }

    @Test
    void reportsAtOnceWithoutGracePeriod() {
        var contests = new DoubleAllocations(Duration.ZERO);
        contests.put(0, alarm("a+b"), START);
        assertThat(contests.takeDue(START)).hasSize(1);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new DoubleAllocations(Duration.ofSeconds(-1)))
                .withMessageContaining("claimstream.allocator.alarm-grace is PT-1S");
    }

    @Test
    void healthAndMeterIncludeOnlyReportedConflicts() {
        var meters = new CellMeters(new Meters(), Traces.off(new Meters()), false, Duration.ofSeconds(3));
        var figures = new CellFigures(new TreeMap<>(), new TreeMap<>(), 0, List.of(alarm("a+b")));
        meters.recordAlarm(0, new Output.AlarmChanged(alarm("a+b"), false), START);
        meters.update(0, figures, START);
        assertThat(meters.alarms()).isEqualTo(Health.Condition.up("none"));
        meters.reportDueAlarms(START.plusSeconds(3));
        assertThat(meters.alarms()).isEqualTo(new ActiveAlarms(List.of(alarm("a+b"))).condition());
    }
}
