package dev.claimstream.allocation.cell;

import dev.claimstream.allocation.solver.Reason;
import java.util.Collections;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/** The items that wait, in the order of their rank, and what each waits for. */
final class Queue {
    private final SortedMap<Rank, ItemId> all = new TreeMap<>();
    private final Map<Reason.Wake, SortedMap<Rank, ItemId>> byWake = new EnumMap<>(Reason.Wake.class);

    void add(Row.ItemRow row) {
        row.reason().ifPresent(reason -> {
            all.put(row.rank(), row.item());
            wakes(reason)
                    .forEach(wake -> byWake.computeIfAbsent(wake, each -> new TreeMap<>())
                            .put(row.rank(), row.item()));
        });
    }

    void remove(Row.ItemRow row) {
        row.reason().ifPresent(reason -> {
            all.remove(row.rank());
            wakes(reason)
                    .forEach(wake -> byWake.getOrDefault(wake, new TreeMap<>()).remove(row.rank()));
        });
    }

    /** Where there is no room, a device that becomes free elsewhere helps as well. */
    private static Set<Reason.Wake> wakes(Reason reason) {
        return reason.wake() == Reason.Wake.ROOM
                ? EnumSet.of(Reason.Wake.ROOM, Reason.Wake.CAPACITY)
                : EnumSet.of(reason.wake());
    }

    SortedMap<Rank, ItemId> all() {
        return Collections.unmodifiableSortedMap(all);
    }

    /** Those who may hope for something when this happens. */
    SortedMap<Rank, ItemId> wokenBy(Reason.Wake wake) {
        return Collections.unmodifiableSortedMap(byWake.getOrDefault(wake, new TreeMap<>()));
    }
}
