package dev.claimstream.allocation.inventory;

import dev.claimstream.dra.DeviceId;
import dev.claimstream.dra.DeviceResult;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.Quantity;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Tracks the claims that use one device.
 *
 * <p>A device is in use while it has at least one entry: an allocation, an unconfirmed write, or a quarantine. The object stays after the
 * device is unpublished, so that a device that is published again keeps its entries.
 */
public final class DeviceUsage {
    private final DeviceId device;
    private final List<UsageEntry> entries = new ArrayList<>(1);

    DeviceUsage(DeviceId device) {
        this.device = device;
    }

    public DeviceId device() {
        return device;
    }

    /** Returns whether the device has no entry. */
    public boolean isFree() {
        return entries.isEmpty();
    }

    /** Returns whether an entry uses the whole device. */
    public boolean isDedicated() {
        return entries.stream().anyMatch(holder -> holder.share().isEmpty());
    }

    /**
     * Returns whether the device has several entries and one of them uses the whole device.
     *
     * <p>This is a double allocation that another allocator caused. Claimstream does not resolve it, and does not allocate the device until
     * at most one entry remains.
     */
    public boolean isContested() {
        return entries.size() > 1 && isDedicated();
    }

    /** Returns the capacity that all shares consume together, by capacity name. */
    public SortedMap<String, Quantity> consumed() {
        SortedMap<String, Quantity> sum = new TreeMap<>();
        for (UsageEntry holder : entries) {
            holder.share()
                    .ifPresent(share -> share.consumed().forEach((name, amount) -> {
                        Quantity before = sum.get(name);
                        sum.put(name, before == null ? amount : before.plus(amount));
                    }));
        }
        return sum;
    }

    /** Returns the entries, ordered by claim, UID and share ID. */
    public List<UsageEntry> entries() {
        return Collections.unmodifiableList(entries);
    }

    void add(UsageEntry holder) {
        entries.add(holder);
        entries.sort(UsageEntry.ORDER);
    }

    boolean remove(String claimUid) {
        return entries.removeIf(holder -> holder.uid().equals(claimUid));
    }

    /**
     * One use of the device by a claim. A claim with several shares of the device has several entries.
     *
     * @param uid the UID of the claim, or the key of a quarantine
     * @param share absent if the claim uses the whole device
     */
    public record UsageEntry(String uid, ObjectKey claim, Optional<Share> share) {
        private static final Comparator<UsageEntry> ORDER = Comparator.comparing(UsageEntry::claim)
                .thenComparing(UsageEntry::uid)
                .thenComparing(holder -> holder.share().map(Share::id).orElse(""));
    }

    /**
     * A share of a device that allows multiple allocations.
     *
     * @param id {@code shareID} of the allocation result
     * @param consumed {@code consumedCapacity} of the allocation result
     */
    public record Share(String id, SortedMap<String, Quantity> consumed) {
        public Share {
            consumed = Collections.unmodifiableSortedMap(new TreeMap<>(consumed));
        }

        static Optional<Share> of(DeviceResult result) {
            return result.shareId().map(id -> new Share(id, result.consumedCapacity()));
        }
    }
}
