package dev.claimstream.dra;

import java.util.Comparator;

/** Who a device is: its driver, the pool and its name in that pool. */
public record DeviceId(String driver, String pool, String device) implements Comparable<DeviceId> {
    private static final Comparator<DeviceId> ORDER =
            Comparator.comparing(DeviceId::driver).thenComparing(DeviceId::pool).thenComparing(DeviceId::device);

    /** The pool that the device is in. */
    public PoolId poolId() {
        return new PoolId(driver, pool);
    }

    @Override
    public int compareTo(DeviceId other) {
        return ORDER.compare(this, other);
    }

    @Override
    public String toString() {
        return driver + "/" + pool + "/" + device;
    }
}
