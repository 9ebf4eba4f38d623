package dev.claimstream.dra;

import java.util.Comparator;

/** The ID of a device: driver, pool and name in the pool. */
public record DeviceId(String driver, String pool, String device) implements Comparable<DeviceId> {
    private static final Comparator<DeviceId> ORDER =
            Comparator.comparing(DeviceId::driver).thenComparing(DeviceId::pool).thenComparing(DeviceId::device);

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
