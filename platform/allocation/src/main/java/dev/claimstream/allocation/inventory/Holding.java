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
 * One device and the claims that hold it. It stands as long as the device is published or held, so that a device which vanishes
 * and comes back finds its holder.
 */
public final class Holding {
    private final DeviceId device;
    private final List<Holder> holders = new ArrayList<>(1);

    Holding(DeviceId device) {
        this.device = device;
    }

    /** Which device. */
    public DeviceId device() {
        return device;
    }

    /** Whether nobody holds it. */
    public boolean isFree() {
        return holders.isEmpty();
    }

    /** Whether somebody holds it as a whole. */
    public boolean isDedicated() {
        return holders.stream().anyMatch(holder -> holder.share().isEmpty());
    }

    /**
     * Whether it is held as a whole and by somebody else too: a collision that is not ours to solve. Nobody gets it until at most one
     * is left.
     */
    public boolean isContested() {
        return holders.size() > 1 && isDedicated();
    }

    /** What its shares take of each capacity, in sum. */
    public SortedMap<String, Quantity> consumed() {
        SortedMap<String, Quantity> sum = new TreeMap<>();
        for (Holder holder : holders) {
            holder.share()
                    .ifPresent(share -> share.consumed().forEach((name, amount) -> {
                        Quantity before = sum.get(name);
                        sum.put(name, before == null ? amount : before.plus(amount));
                    }));
        }
        return sum;
    }

    /** Who holds it, by name. */
    public List<Holder> holders() {
        return Collections.unmodifiableList(holders);
    }

    void add(Holder holder) {
        holders.add(holder);
        holders.sort(Holder.ORDER);
    }

    boolean remove(String claimUid) {
        return holders.removeIf(holder -> holder.uid().equals(claimUid));
    }

    /**
     * A claim that holds a device; with several shares it is here several times.
     *
     * @param share absent where it holds the whole device
     */
    public record Holder(String uid, ObjectKey claim, Optional<Share> share) {
        private static final Comparator<Holder> ORDER = Comparator.comparing(Holder::claim)
                .thenComparing(Holder::uid)
                .thenComparing(holder -> holder.share().map(Share::id).orElse(""));
    }

    /** A part of a device. */
    public record Share(String id, SortedMap<String, Quantity> consumed) {
        public Share {
            consumed = Collections.unmodifiableSortedMap(new TreeMap<>(consumed));
        }

        static Optional<Share> of(DeviceResult result) {
            return result.shareId().map(id -> new Share(id, result.consumedCapacity()));
        }
    }
}
