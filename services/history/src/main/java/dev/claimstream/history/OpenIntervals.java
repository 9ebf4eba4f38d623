package dev.claimstream.history;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The open intervals by claim and by device, with those that have changed since the last flush. Not safe for several threads.
 *
 * <p>An interval is found by its claim. Its ID, a long text, is made only for what a flush stores.
 */
final class OpenIntervals {
    private final Map<String, List<IntervalSlot>> byClaim = new HashMap<>();

    /** UIDs of the claims that hold a device, once per interval. */
    private final Map<String, List<String>> holders = new HashMap<>();

    private final List<IntervalSlot> changed = new ArrayList<>();
    private final List<String> removed = new ArrayList<>();
    private int size;

    /** The place of an interval, whose claim, device and request never change. */
    private static final class IntervalSlot {
        private Optional<Interval> interval;
        private boolean isStored;
        private boolean isChanged;

        IntervalSlot(Interval interval) {
            this.interval = Optional.of(interval);
        }
    }

    int size() {
        return size;
    }

    /** The intervals of a claim, by ID. */
    List<Interval> ofClaim(String uid) {
        List<IntervalSlot> slots = byClaim.get(uid);
        if (slots == null) {
            return List.of();
        }
        if (slots.size() == 1) {
            return List.of(slots.getFirst().interval.orElseThrow());
        }
        return slots.stream().flatMap(each -> each.interval.stream()).toList();
    }

    /** The intervals of a device, by ID. */
    List<Interval> ofDevice(String key) {
        return holders.getOrDefault(key, List.of()).stream()
                .distinct()
                .flatMap(uid -> ofClaim(uid).stream())
                .filter(each -> each.deviceKey().equals(key))
                .sorted(Comparator.comparing(Interval::id))
                .toList();
    }

    /** The present state of an interval; empty if it has ended. */
    Optional<Interval> present(Interval interval) {
        return slot(interval).flatMap(each -> each.interval);
    }

    private Optional<IntervalSlot> slot(Interval interval) {
        List<IntervalSlot> slots = byClaim.getOrDefault(interval.claimUid(), List.of());
        for (IntervalSlot slot : slots) {
            if (slot.interval.filter(each -> each.hasIdOf(interval)).isPresent()) {
                return Optional.of(slot);
            }
        }
        return Optional.empty();
    }

    /** Adds an interval, or replaces its earlier state. */
    void put(Interval interval) {
        IntervalSlot slot = slot(interval).orElseGet(() -> add(interval));
        if (!slot.isChanged
                && !(slot.isStored && slot.interval.filter(interval::equals).isPresent())) {
            slot.isChanged = true;
            changed.add(slot);
        }
        slot.interval = Optional.of(interval);
    }

    private IntervalSlot add(Interval interval) {
        var slot = new IntervalSlot(interval);
        List<IntervalSlot> slots = byClaim.computeIfAbsent(interval.claimUid(), _ -> new ArrayList<>(1));
        slots.add(slot);
        if (slots.size() > 1) {
            slots.sort(Comparator.comparing(each -> each.interval.orElseThrow().id()));
        }
        holders.computeIfAbsent(interval.deviceKey(), _ -> new ArrayList<>(1)).add(interval.claimUid());
        size++;
        return slot;
    }

    /** Removes an interval, which is open. */
    void remove(Interval interval) {
        IntervalSlot slot = slot(interval).orElseThrow();
        slot.interval = Optional.empty();
        if (slot.isStored) {
            removed.add(interval.id());
        }
        List<IntervalSlot> slots = byClaim.getOrDefault(interval.claimUid(), List.of());
        if (slots.size() == 1) {
            byClaim.remove(interval.claimUid());
        } else {
            slots.remove(slot);
        }
        String device = interval.deviceKey();
        List<String> uids = holders.getOrDefault(device, List.of());
        if (uids.size() == 1) {
            holders.remove(device);
        } else {
            uids.remove(interval.claimUid());
        }
        size--;
    }

    /** Adds an interval that is stored already. */
    void restore(Interval interval) {
        add(interval).isStored = true;
    }

    /** Passes the changes: removals first, so that an interval with the ID of a former one is stored. */
    void drain(StateTable.ChangeConsumer<Interval> action) {
        removed.forEach(id -> action.accept(id, Optional.empty(), true));
        removed.clear();
        for (IntervalSlot slot : changed) {
            slot.isChanged = false;
            if (slot.interval.isPresent()) {
                action.accept(slot.interval.get().id(), slot.interval, slot.isStored);
                slot.isStored = true;
            }
        }
        changed.clear();
    }
}
