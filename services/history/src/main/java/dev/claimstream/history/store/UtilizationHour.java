package dev.claimstream.history.store;

/**
 * The utilization of a device in one hour.
 *
 * @param hourMicros begin of the hour, in microseconds since 1970
 * @param samples number of samples
 * @param utilizationSum sum of the samples, in percent
 */
public record UtilizationHour(
        String driver, String pool, String device, long hourMicros, long samples, double utilizationSum) {
    /** This hour with one more sample. */
    public UtilizationHour with(double percent) {
        return new UtilizationHour(driver, pool, device, hourMicros, samples + 1, utilizationSum + percent);
    }
}
