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
final class Contests {
    private final Duration grace;
    private final SortedMap<DeviceId, Contest> contests = new TreeMap<>();

    /**
     * A device that two claims hold.
     *
     * @param since when this process first saw the same two claims
     * @param isTold whether a conflict of the device was reported, perhaps with other claims
     * @param isDue whether the conflict of these claims is still to be reported
     */
    private record Contest(int cell, Alarm alarm, Instant since, boolean isTold, boolean isDue) {}

    /** A conflict that is to be reported now. */
    record Due(int cell, Alarm alarm) {}

    /** @param grace grace period; zero: each conflict is reported at once */
    Contests(Duration grace) {
        if (grace.isNegative()) {
            throw new IllegalArgumentException(
                    "claimstream.allocator.alarm-grace is %s, it is 0s (at once) or more".formatted(grace));
        }
        this.grace = grace;
    }

    /** Adds a conflict, or changes its claims. */
    synchronized void begins(int cell, Alarm alarm, Instant now) {
        var before = Optional.ofNullable(contests.get(alarm.device()));
        Instant since = before.filter(known -> haveTwoInCommon(known.alarm, alarm))
                .map(Contest::since)
                .orElse(now);
        boolean isTold = before.filter(Contest::isTold).isPresent();
        boolean isDue = before.filter(known -> !known.isDue && known.alarm.equals(alarm))
                .isEmpty();
        contests.put(alarm.device(), new Contest(cell, alarm, since, isTold, isDue));
    }

    /** Removes a conflict; returns whether it was reported. */
    synchronized boolean ends(Alarm alarm) {
        Contest before = contests.remove(alarm.device());
        return before != null && before.isTold;
    }

    /** Adds the conflicts in the state of a cell. The grace period of a conflict that is older than this process begins now. */
    synchronized void stand(int cell, List<Alarm> alarms, Instant now) {
        alarms.stream()
                .filter(alarm -> alarm.sort() == Alarm.Sort.CONFLICT)
                .filter(alarm -> !contests.containsKey(alarm.device()))
                .forEach(alarm -> begins(cell, alarm, now));
    }

    /** Returns the conflicts whose grace period has ended, each once. */
    synchronized List<Due> due(Instant now) {
        List<Due> due = new ArrayList<>();
        contests.replaceAll((device, contest) -> {
            if (!contest.isDue || now.isBefore(contest.since.plus(grace))) {
                return contest;
            }
            due.add(new Due(contest.cell, contest.alarm));
            return new Contest(contest.cell, contest.alarm, contest.since, true, false);
        });
        return due;
    }

    /** Whether a conflict of this device was reported. */
    synchronized boolean isTold(DeviceId device) {
        Contest contest = contests.get(device);
        return contest != null && contest.isTold;
    }

    /** Removes the conflicts of a cell that this process no longer has. */
    synchronized void gone(int cell) {
        contests.values().removeIf(contest -> contest.cell == cell);
    }

    private static boolean haveTwoInCommon(Alarm one, Alarm other) {
        var common = new TreeSet<>(one.claims());
        common.retainAll(other.claims());
        return common.size() > 1;
    }
}
