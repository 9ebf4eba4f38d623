package dev.claimstream.allocator.streams;

import dev.claimstream.allocation.cell.Alarm;
import dev.claimstream.observability.Health;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** The active alarms, described for operators. */
record ActiveAlarms(List<Alarm> all) {
    /** Number of devices that are named; the ledger has all devices. */
    private static final int NAMED_MAX = 3;

    ActiveAlarms {
        all = List.copyOf(all);
    }

    /** Degraded while an alarm is active, because only an operator can end it. */
    Health.Condition condition() {
        return all.isEmpty() ? Health.Condition.up("none") : Health.Condition.degraded(summary());
    }

    private String summary() {
        List<String> parts = new ArrayList<>();
        for (Alarm.AlarmType sort : Alarm.AlarmType.values()) {
            List<Alarm> alike =
                    all.stream().filter(alarm -> alarm.type() == sort).toList();
            if (!alike.isEmpty()) {
                parts.add("%s: %s".formatted(describe(sort), deviceList(alike)));
            }
        }
        return String.join("; ", parts);
    }

    private static String describe(Alarm.AlarmType sort) {
        return switch (sort) {
            case DEVICE_LOST -> "missing from their pools, still allocated until their claims are released";
            case CONFLICT ->
                "also allocated by another allocator, not allocated again while more than one claim has them";
            case OVERDRAWN -> "exceed the current counters or capacity of their pools, stay allocated to their claims";
        };
    }

    private static String deviceList(List<Alarm> alike) {
        String named = alike.stream()
                .limit(NAMED_MAX)
                .map(alarm -> "%s (%s)"
                        .formatted(
                                alarm.device(),
                                alarm.claims().stream().map(Object::toString).collect(Collectors.joining(", "))))
                .collect(Collectors.joining(", "));
        return alike.size() > NAMED_MAX ? "%s and %d more".formatted(named, alike.size() - NAMED_MAX) : named;
    }
}
