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
 * Devices that two claims seem to have, and which of them are told of. That a device has a new holder may be read before that the old
 * one has let it go, so it is told once the same two have had it for a while. Until then nobody gets it all the same.
 */
final class Contests {
    private final Duration grace;
    private final SortedMap<DeviceId, Contest> contests = new TreeMap<>();

    /**
     * A device that seems to have two holders.
     *
     * @param since when the same two were seen first
     * @param isTold whether it was told of the device, perhaps with other holders
     * @param isDue whether it is still to be told of these holders
     */
    private record Contest(int cell, Alarm alarm, Instant since, boolean isTold, boolean isDue) {}

    /** One to tell of. */
    record Due(int cell, Alarm alarm) {}

    /** @param grace zero: each is told of at once */
    Contests(Duration grace) {
        if (grace.isNegative()) {
            throw new IllegalArgumentException(
                    "claimstream.allocator.alarm-grace is %s, it is 0s (at once) or more".formatted(grace));
        }
        this.grace = grace;
    }

    /** One begins, or has other holders. */
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

    /** One is over: whether it was told of. */
    synchronized boolean ends(Alarm alarm) {
        Contest before = contests.remove(alarm.device());
        return before != null && before.isTold;
    }

    /** How the cell stands: what began before this process did begins for it now. */
    synchronized void stand(int cell, List<Alarm> alarms, Instant now) {
        alarms.stream()
                .filter(alarm -> alarm.sort() == Alarm.Sort.CONFLICT)
                .filter(alarm -> !contests.containsKey(alarm.device()))
                .forEach(alarm -> begins(cell, alarm, now));
    }

    /** Those to tell of now, each once. */
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

    /** Whether this device was told of. */
    synchronized boolean isTold(DeviceId device) {
        Contest contest = contests.get(device);
        return contest != null && contest.isTold;
    }

    /** A cell is worked on elsewhere from now on. */
    synchronized void gone(int cell) {
        contests.values().removeIf(contest -> contest.cell == cell);
    }

    private static boolean haveTwoInCommon(Alarm one, Alarm other) {
        var common = new TreeSet<>(one.claims());
        common.retainAll(other.claims());
        return common.size() > 1;
    }
}
