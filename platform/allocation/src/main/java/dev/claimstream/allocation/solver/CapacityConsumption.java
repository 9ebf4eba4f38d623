package dev.claimstream.allocation.solver;

import dev.claimstream.dra.Device;
import dev.claimstream.dra.DeviceCapacity;
import dev.claimstream.dra.Quantity;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Amounts that a request consumes of a device's capacities, or why an unallocated device cannot satisfy it.
 *
 * <p>Source: {@code consumable_capacity.go} of kube-scheduler's structured allocator.
 */
sealed interface CapacityConsumption {
    /** Consumed amount of every capacity of the device, requested or not. */
    record CapacityAmounts(SortedMap<String, Quantity> amounts) implements CapacityConsumption {}

    /**
     * The device cannot satisfy an amount, even if it is unallocated.
     *
     * @param amount the amount after rounding; absent if the device does not have the capacity
     */
    record UnsatisfiableCapacity(String capacity, Optional<Quantity> amount, CapacityViolation violation)
            implements CapacityConsumption {}

    /** Why a device cannot satisfy an amount. */
    enum CapacityViolation {
        /** The device does not have the capacity. */
        ABSENT,
        /** The request policy of the device excludes the amount. */
        FORBIDDEN,
        /** The device has less of the capacity. */
        INSUFFICIENT
    }

    /** An amount that 64-bit arithmetic cannot represent; allocation fails, as it does upstream. */
    record UnrepresentableAmount(String message) implements CapacityConsumption {}

    /**
     * Computes the consumption of an unallocated device.
     *
     * @param requested amounts by capacity name
     * @param fractional whether ranges may use steps of 1/1000 ({@code DRAFractionalCapacityRange})
     */
    static CapacityConsumption of(SortedMap<String, Quantity> requested, Device device, boolean fractional) {
        for (String name : requested.keySet()) {
            if (!device.capacity().containsKey(name)) {
                return new UnsatisfiableCapacity(name, Optional.empty(), CapacityViolation.ABSENT);
            }
        }
        SortedMap<String, Amount> amounts = new TreeMap<>();
        for (Map.Entry<String, DeviceCapacity> each : device.capacity().entrySet()) {
            Optional<Quantity> requestedAmount = Optional.ofNullable(requested.get(each.getKey()));
            try {
                Amount amount = amount(requestedAmount, each.getValue(), fractional);
                if (amount.value.signum() < 0) {
                    throw new ArithmeticException("capacity value is negative");
                }
                amounts.put(each.getKey(), amount);
            } catch (ArithmeticException e) {
                return new UnrepresentableAmount("capacity \"%s\": %s".formatted(each.getKey(), e.getMessage()));
            }
        }
        for (Map.Entry<String, DeviceCapacity> each : device.capacity().entrySet()) {
            Amount amount = amounts.get(each.getKey());
            if (amount == null) {
                return new UnsatisfiableCapacity(each.getKey(), Optional.empty(), CapacityViolation.ABSENT);
            }
            if (amount.value.compareTo(each.getValue().value()) > 0) {
                return new UnsatisfiableCapacity(
                        each.getKey(), Optional.of(amount.value), CapacityViolation.INSUFFICIENT);
            }
            if (violates(amount, each.getValue(), fractional)) {
                return new UnsatisfiableCapacity(each.getKey(), Optional.of(amount.value), CapacityViolation.FORBIDDEN);
            }
        }
        SortedMap<String, Quantity> taken = new TreeMap<>();
        amounts.forEach((name, amount) -> taken.put(name, amount.value));
        return new CapacityAmounts(taken);
    }

    /** An amount, either as written or computed by rounding. */
    record Amount(Quantity value, boolean isComputed) {}

    private static Amount amount(Optional<Quantity> requested, DeviceCapacity capacity, boolean fractional) {
        if (requested.isEmpty()) {
            return new Amount(
                    capacity.policy()
                            .flatMap(DeviceCapacity.RequestPolicy::defaultValue)
                            .orElse(capacity.value()),
                    false);
        }
        Optional<DeviceCapacity.Range> range = capacity.policy()
                .flatMap(DeviceCapacity.RequestPolicy::validRange)
                .filter(each -> each.min().isPresent());
        if (range.isPresent()) {
            return new SteppedRange(range.get(), fractional).roundUp(requested.get());
        }
        return new Amount(
                capacity.policy().stream()
                        .flatMap(policy -> policy.validValues().stream())
                        .filter(value -> requested.get().compareTo(value) <= 0)
                        .findFirst()
                        .orElse(requested.get()),
                false);
    }

    private static boolean violates(Amount amount, DeviceCapacity capacity, boolean fractional) {
        if (capacity.policy().isEmpty()) {
            return false;
        }
        DeviceCapacity.RequestPolicy policy = capacity.policy().get();
        if (policy.defaultValue().filter(value -> isSame(value, amount)).isPresent()) {
            return false;
        }
        if (policy.validRange().isPresent()) {
            return new SteppedRange(policy.validRange().get(), fractional).forbids(amount.value);
        }
        return !policy.validValues().isEmpty() && !policy.validValues().contains(amount.value);
    }

    /**
     * Compares an amount with the policy's default by representation instead of by value, as upstream does. Numbers
     * beyond 64 bits never match, and a computed amount never matches a written one.
     */
    private static boolean isSame(Quantity one, Amount other) {
        return !other.isComputed
                && one.representation().isSmall()
                && one.representation().equals(other.value.representation())
                && one.notation() == other.value.notation();
    }

    /** A range with a step, in integers or thousandths, with upstream's 64-bit arithmetic. */
    final class SteppedRange {
        private static final int THOUSANDTHS = 3;
        private static final BigDecimal MAX = BigDecimal.valueOf(Long.MAX_VALUE);

        private final DeviceCapacity.Range range;
        private final int places;

        SteppedRange(DeviceCapacity.Range range, boolean fractional) {
            this.range = range;
            this.places = fractional && isInThousandths(range) ? THOUSANDTHS : 0;
        }

        private static boolean isInThousandths(DeviceCapacity.Range range) {
            return range.min().filter(each -> !isExact(each)).isEmpty()
                    && range.max().filter(each -> !isExact(each)).isEmpty()
                    && range.step()
                            .filter(each -> !isExact(each) || each.signum() <= 0)
                            .isEmpty();
        }

        private static boolean isExact(Quantity amount) {
            BigDecimal moved = amount.amount().movePointRight(THOUSANDTHS).stripTrailingZeros();
            return moved.scale() <= 0 && moved.toBigInteger().bitLength() < Long.SIZE;
        }

        /** @throws ArithmeticException if 64 bits cannot represent the amount */
        Amount roundUp(Quantity requested) {
            Quantity min = range.min().orElse(Quantity.of(0));
            if (requested.compareTo(min) < 0) {
                return new Amount(min, false);
            }
            if (range.step().isEmpty()) {
                return new Amount(requested, false);
            }
            if (places == THOUSANDTHS && !isExact(requested)) {
                throw unrepresentable("request %s is not a representable milli value".formatted(requested));
            }
            if (places == 0 && requested.amount().compareTo(MAX) > 0) {
                throw unrepresentable("request %s exceeds MaxInt64".formatted(requested));
            }
            long first = min.wrappingScaledValue(places);
            long step = range.step().get().wrappingScaledValue(places);
            if (step == 0) {
                throw unrepresentable("the step of the range is zero");
            }
            long above = requested.wrappingScaledValue(places) - first;
            long count = above / step + (above % step == 0 ? 0 : 1);
            boolean canBeTooLarge = places == THOUSANDTHS || first >= 0;
            if (canBeTooLarge && count > (Long.MAX_VALUE - first) / step) {
                throw unrepresentable("rounding request %s up to the next step passes %s"
                        .formatted(requested, places == 0 ? "MaxInt64" : "the milli-value range"));
            }
            BigDecimal amount = BigDecimal.valueOf(first + step * count, places);
            boolean isWhole = amount.stripTrailingZeros().scale() <= 0;
            return new Amount(
                    Quantity.of(
                            isWhole ? amount.setScale(0, RoundingMode.UNNECESSARY) : amount,
                            range.step().get().notation()),
                    true);
        }

        boolean forbids(Quantity amount) {
            if (range.max().filter(max -> amount.compareTo(max) > 0).isPresent()) {
                return true;
            }
            if (range.step().isEmpty()) {
                return false;
            }
            if (places == THOUSANDTHS && !isExact(amount)) {
                return true;
            }
            long step = range.step().get().wrappingScaledValue(places);
            long first = range.min().orElse(Quantity.of(0)).wrappingScaledValue(places);
            return step == 0 || (amount.wrappingScaledValue(places) - first) % step != 0;
        }

        private static ArithmeticException unrepresentable(String reason) {
            return new ArithmeticException(
                    "capacity request cannot be represented in the device's range arithmetic: " + reason);
        }
    }
}
