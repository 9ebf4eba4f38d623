package dev.claimstream.dra;

import java.util.List;
import java.util.Optional;

/**
 * A capacity of a device.
 *
 * @param policy how requests consume the capacity if the device allows multiple allocations
 */
public record DeviceCapacity(Quantity value, Optional<RequestPolicy> policy) {
    /** Returns a capacity without a policy. */
    public static DeviceCapacity of(Quantity value) {
        return new DeviceCapacity(value, Optional.empty());
    }

    /**
     * How a requested amount is rounded and validated ({@code requestPolicy}). At most one of {@code validValues} and {@code validRange} is
     * set.
     *
     * @param defaultValue consumed if the request has no amount
     */
    public record RequestPolicy(
            Optional<Quantity> defaultValue, List<Quantity> validValues, Optional<Range> validRange) {
        public RequestPolicy {
            validValues = List.copyOf(validValues);
        }
    }

    /** Amounts from {@code min} to {@code max} in steps of {@code step}. */
    public record Range(Optional<Quantity> min, Optional<Quantity> max, Optional<Quantity> step) {}
}
