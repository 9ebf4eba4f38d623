package dev.claimstream.allocator.streams;

import dev.claimstream.allocation.cell.Alarm;
import dev.claimstream.dra.DeviceId;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Tracks devices that two claims hold, and delays the report by a grace period.
 *
 * <p>The allocation of a new claim may be read before the deallocation of the old claim. So a conflict is reported after the same two
 * claims have had the device for the grace period. The device is not allocated meanwhile. Safe for many threads.
 */
final class DeviceConflicts {
    private final Duration grace;
    private final SortedMap<DeviceId, DeviceConflict> byDevice = new TreeMap<>();

    /**
     * A device that two claims hold.
     *
     * @param since when this process first saw the same two claims
     * @param isReported whether a conflict of the device was reported, perhaps with other claims
     * @param isDue whether the conflict of these claims is still to be reported
     */
    private record DeviceConflict(int cell, Alarm alarm, Instant since, boolean isReported, boolean isDue) {}

    /** A conflict that is to be reported now. */
    record DueAlarm(int cell, Alarm alarm) {}

    /** @param grace grace period; zero: each conflict is reported at once */
    DeviceConflicts(Duration grace) {
        if (grace.isNegative()) {
            throw new IllegalArgumentException(
                    "claimstream.allocator.alarm-grace is %s, it is 0s (at once) or more".formatted(grace));
        }
        this.grace = grace;
    }

    /** Adds a conflict, or changes its claims. */
    synchronized void put(int cell, Alarm alarm, Instant now) {
        var before = Optional.ofNullable(byDevice.get(alarm.device()));
        Instant since = before.filter(conflict -> haveTwoInCommon(conflict.alarm, alarm))
                .map(DeviceConflict::since)
                .orElse(now);
        boolean isTold = before.filter(DeviceConflict::isReported).isPresent();
        boolean isDue = before.filter(conflict -> !conflict.isDue && conflict.alarm.equals(alarm))
                .isEmpty();
        byDevice.put(alarm.device(), new DeviceConflict(cell, alarm, since, isTold, isDue));
    }

    /** Removes a conflict; returns whether it was reported. */
    synchronized boolean remove(Alarm alarm) {
        DeviceConflict before = byDevice.remove(alarm.device());
        return before != null && before.isReported;
    }

    /** Adds the conflicts in the state of a cell. The grace period of a conflict that is older than this process begins now. */
    synchronized void restore(int cell, List<Alarm> alarms, Instant now) {
        alarms.stream()
                .filter(alarm -> alarm.type() == Alarm.AlarmType.CONFLICT)
                .filter(alarm -> !byDevice.containsKey(alarm.device()))
                .forEach(alarm -> put(cell, alarm, now));
    }

    /** Returns the conflicts whose grace period has ended, each once. */
    synchronized List<DueAlarm> takeDue(Instant now) {
        List<DueAlarm> due = new ArrayList<>();
        byDevice.replaceAll((device, conflict) -> {
            if (!conflict.isDue || now.isBefore(conflict.since.plus(grace))) {
                return conflict;
            }
            due.add(new DueAlarm(conflict.cell, conflict.alarm));
            return new DeviceConflict(conflict.cell, conflict.alarm, conflict.since, true, false);
        });
        return due;
    }

    /** Whether a conflict of this device was reported. */
    synchronized boolean isReported(DeviceId device) {
        DeviceConflict conflict = byDevice.get(device);
        return conflict != null && conflict.isReported;
    }

    /** Removes the conflicts of a cell that this process no longer has. */
    synchronized void removeCell(int cell) {
        byDevice.values().removeIf(conflict -> conflict.cell == cell);
    }

    private static boolean haveTwoInCommon(Alarm one, Alarm other) {
        var common = new TreeSet<>(one.claims());
        common.retainAll(other.claims());
        return common.size() > 1;
    }
}
