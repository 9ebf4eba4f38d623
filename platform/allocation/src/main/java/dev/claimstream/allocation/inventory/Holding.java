package dev.claimstream.allocation.inventory;

import dev.claimstream.dra.DeviceId;
import dev.claimstream.dra.ObjectKey;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;

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

    /** Whether several claims hold it: a collision that is not ours to solve. Nobody gets it until at most one is left. */
    public boolean isContested() {
        return holders.size() > 1;
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

    /** A claim that holds a device. */
    public record Holder(String uid, ObjectKey claim) {
        private static final Comparator<Holder> ORDER =
                Comparator.comparing(Holder::claim).thenComparing(Holder::uid);
    }
}
