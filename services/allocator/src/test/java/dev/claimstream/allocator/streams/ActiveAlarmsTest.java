package dev.claimstream.allocator.streams;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.allocation.cell.Alarm;
import dev.claimstream.dra.DeviceId;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.observability.Health;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Health condition of active alarms, without alarms and with alarms of each type. */
class ActiveAlarmsTest {
    private static Alarm alarm(Alarm.AlarmType sort, int device, String... claims) {
        return new Alarm(
                sort,
                new DeviceId("gpu.example.com", "node-1", "gpu-" + device),
                List.of(claims).stream()
                        .map(claim -> new ObjectKey("team", claim))
                        .toList());
    }

    @Test
    void isUpWithoutAlarms() {
        assertThat(new ActiveAlarms(List.of()).condition()).isEqualTo(Health.Condition.up("none"));
    }

    @Test
    void namesDevicesAndClaimsOfAlarms() {
        var alarms = new ActiveAlarms(List.of(
                alarm(Alarm.AlarmType.CONFLICT, 0, "a", "b"),
                alarm(Alarm.AlarmType.DEVICE_LOST, 1, "c"),
                alarm(Alarm.AlarmType.OVERDRAWN, 2, "d")));
        assertThat(alarms.condition())
                .isEqualTo(Health.Condition.degraded(
                        "missing from their pools, still allocated until their claims are released: gpu.example.com/node-1/gpu-1 (team/c);"
                                + " also allocated by another allocator, not allocated again while more than one claim has them:"
                                + " gpu.example.com/node-1/gpu-0 (team/a, team/b); exceed the current counters or capacity of their pools, stay allocated to their claims:"
                                + " gpu.example.com/node-1/gpu-2 (team/d)"));
    }

    @Test
    void namesFirstThreeOfManyAlarms() {
        List<Alarm> many = IntStream.range(0, 5)
                .mapToObj(i -> alarm(Alarm.AlarmType.CONFLICT, i, "a", "b"))
                .toList();
        assertThat(new ActiveAlarms(many).condition().sentence())
                .contains("gpu-2 (team/a, team/b) and 2 more")
                .doesNotContain("gpu-3");
    }
}
