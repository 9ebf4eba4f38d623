package dev.claimstream.dra;

import java.util.List;
import java.util.Optional;

/** One capacity of a device and, where the device can be shared, how requests consume it. */
public record DeviceCapacity(Quantity value, Optional<RequestPolicy> policy) {
    /** A capacity without a policy. */
    public static DeviceCapacity of(Quantity value) {
        return new DeviceCapacity(value, Optional.empty());
    }

    /**
     * How a request is rounded and checked; at most one of {@code validValues} and {@code validRange} is given.
     *
     * @param defaultValue consumed where the request names no amount
     */
    public record RequestPolicy(
            Optional<Quantity> defaultValue, List<Quantity> validValues, Optional<Range> validRange) {
        public RequestPolicy {
            validValues = List.copyOf(validValues);
        }
    }

    /** Amounts from {@code min} on, in steps. */
    public record Range(Optional<Quantity> min, Optional<Quantity> max, Optional<Quantity> step) {}
}
