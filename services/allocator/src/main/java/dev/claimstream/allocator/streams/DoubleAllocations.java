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
 * <p>The allocation of a new claim may be read before the deallocation of the old claim. So a double allocation is
 * reported after the same two claims have had the device for the grace period. The device is not allocated meanwhile.
 * Safe for many threads.
 */
final class DoubleAllocations {
    private final Duration grace;
    private final SortedMap<DeviceId, DoubleAllocation> byDevice = new TreeMap<>();

    /**
     * A device that two claims hold.
     *
     * @param since when this process first saw the same two claims
     * @param isReported whether a double allocation of the device was reported, perhaps with other claims
     * @param isDue whether the double allocation of these claims is still to be reported
     */
    private record DoubleAllocation(int cell, Alarm alarm, Instant since, boolean isReported, boolean isDue) {}

    /** A double allocation that is to be reported now. */
    record DueAlarm(int cell, Alarm alarm) {}

    /** @param grace grace period; zero: each double allocation is reported at once */
    DoubleAllocations(Duration grace) {
        if (grace.isNegative()) {
            throw new IllegalArgumentException(
                    "claimstream.allocator.alarm-grace is %s, it is 0s (at once) or more".formatted(grace));
        }
        this.grace = grace;
    }

    /** Adds a double allocation, or changes its claims. */
    synchronized void put(int cell, Alarm alarm, Instant now) {
        var before = Optional.ofNullable(byDevice.get(alarm.device()));
        Instant since = before.filter(entry -> haveTwoInCommon(entry.alarm, alarm))
                .map(DoubleAllocation::since)
                .orElse(now);
        boolean isReported = before.filter(DoubleAllocation::isReported).isPresent();
        boolean isDue = before.filter(entry -> !entry.isDue && entry.alarm.equals(alarm))
                .isEmpty();
        byDevice.put(alarm.device(), new DoubleAllocation(cell, alarm, since, isReported, isDue));
    }

    /** Removes a double allocation; returns whether it was reported. */
    synchronized boolean remove(Alarm alarm) {
        DoubleAllocation before = byDevice.remove(alarm.device());
        return before != null && before.isReported;
    }

    /** Adds the double allocations in the state of a cell. The grace period of a double allocation that is older than this process begins now. */
    synchronized void restore(int cell, List<Alarm> alarms, Instant now) {
        alarms.stream()
                .filter(alarm -> alarm.type() == Alarm.AlarmType.CONFLICT)
                .filter(alarm -> !byDevice.containsKey(alarm.device()))
                .forEach(alarm -> put(cell, alarm, now));
    }

    /** Returns the double allocations whose grace period has ended, each once. */
    synchronized List<DueAlarm> takeDue(Instant now) {
        List<DueAlarm> due = new ArrayList<>();
        byDevice.replaceAll((device, entry) -> {
            if (!entry.isDue || now.isBefore(entry.since.plus(grace))) {
                return entry;
            }
            due.add(new DueAlarm(entry.cell, entry.alarm));
            return new DoubleAllocation(entry.cell, entry.alarm, entry.since, true, false);
        });
        return due;
    }

    /** Whether a double allocation of this device was reported. */
    synchronized boolean isReported(DeviceId device) {
        DoubleAllocation entry = byDevice.get(device);
        return entry != null && entry.isReported;
    }

    /** Removes the double allocations of a cell that this process no longer has. */
    synchronized void removeCell(int cell) {
        byDevice.values().removeIf(entry -> entry.cell == cell);
    }

    private static boolean haveTwoInCommon(Alarm one, Alarm other) {
        var common = new TreeSet<>(one.claims());
        common.retainAll(other.claims());
        return common.size() > 1;
    }
}
