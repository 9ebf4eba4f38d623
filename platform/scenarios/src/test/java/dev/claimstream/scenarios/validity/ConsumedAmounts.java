package dev.claimstream.scenarios.validity;

import dev.claimstream.dra.DeviceCapacity;
import dev.claimstream.dra.DeviceCapacity.Range;
import dev.claimstream.dra.DeviceCapacity.RequestPolicy;
import dev.claimstream.dra.Quantity;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Optional;
import java.util.stream.Stream;

/** Computes the amount of a capacity that a request consumes. */
final class ConsumedAmounts {
    private static final BigDecimal AMOUNT_MAX = BigDecimal.valueOf(Long.MAX_VALUE);
    private static final int MILLI = 3;

    /** Whether ranges may have milli-units. */
    private final boolean hasFractions;

    ConsumedAmounts(boolean hasFractions) {
        this.hasFractions = hasFractions;
    }

    /** Returns the consumed amount; empty if no amount can be computed. */
    Optional<BigDecimal> consumed(Optional<Quantity> asked, DeviceCapacity capacity) {
        if (asked.isEmpty()) {
            return Optional.of(defaultAmount(capacity));
        }
        BigDecimal amount = asked.get().amount();
        if (capacity.policy().isEmpty()) {
            return Optional.of(amount);
        }
        RequestPolicy policy = capacity.policy().get();
        Optional<Range> range = policy.validRange().filter(each -> each.min().isPresent());
        if (range.isPresent()) {
            return roundIntoRange(amount, range.get());
        }
        return Optional.of(policy.validValues().stream()
                .map(Quantity::amount)
                .filter(value -> value.compareTo(amount) >= 0)
                .findFirst()
                .orElse(amount));
    }

    private static BigDecimal defaultAmount(DeviceCapacity capacity) {
        return capacity.policy()
                .flatMap(RequestPolicy::defaultValue)
                .orElse(capacity.value())
                .amount();
    }

    private Optional<BigDecimal> roundIntoRange(BigDecimal asked, Range range) {
        BigDecimal min = range.min().orElseThrow().amount();
        if (asked.compareTo(min) < 0) {
            return Optional.of(min);
        }
        if (range.step().isEmpty()) {
            return Optional.of(asked);
        }
        int places = places(range);
        if (places > 0 && !isWhole(asked, places)) {
            return Optional.empty();
        }
        BigDecimal start = rounded(min, places);
        BigDecimal step = rounded(range.step().get().amount(), places);
        BigDecimal steps = rounded(asked, places).subtract(start).divide(step, 0, RoundingMode.UP);
        BigDecimal amount = start.add(step.multiply(steps));
        return Optional.of(amount).filter(each -> isSmall(asked, places) && isSmall(each, places));
    }

    /** Returns the decimal places that count in a range: 3 or 0. */
    private int places(Range range) {
        boolean areMilli = Stream.of(range.min(), range.max(), range.step())
                .flatMap(Optional::stream)
                .allMatch(each -> isWhole(each.amount(), MILLI) && isSmall(each.amount(), MILLI));
        return hasFractions && areMilli ? MILLI : 0;
    }

    private static BigDecimal rounded(BigDecimal amount, int places) {
        return amount.setScale(places, RoundingMode.UP);
    }

    private static boolean isWhole(BigDecimal amount, int places) {
        return amount.stripTrailingZeros().scale() <= places;
    }

    private static boolean isSmall(BigDecimal amount, int places) {
        return amount.scaleByPowerOfTen(places).abs().compareTo(AMOUNT_MAX) <= 0;
    }

    /**
     * Returns whether the policy of a capacity allows an amount. The default may be outside its own range, unless a
     * request was rounded to it.
     */
    boolean isAllowed(Optional<Quantity> asked, BigDecimal amount, DeviceCapacity capacity) {
        if (amount.signum() < 0) {
            return false;
        }
        if (capacity.policy().isEmpty()) {
            return true;
        }
        RequestPolicy policy = capacity.policy().get();
        boolean isRounded =
                asked.isPresent() && policy.validRange().flatMap(Range::step).isPresent();
        if (!isRounded
                && policy.defaultValue()
                        .filter(each -> each.amount().compareTo(amount) == 0)
                        .isPresent()) {
            return true;
        }
        if (policy.validRange().isPresent()) {
            return isInRange(amount, policy.validRange().get());
        }
        return policy.validValues().isEmpty()
                || policy.validValues().stream()
                        .anyMatch(value -> value.amount().compareTo(amount) == 0);
    }

    private boolean isInRange(BigDecimal amount, Range range) {
        if (range.max().filter(max -> amount.compareTo(max.amount()) > 0).isPresent()) {
            return false;
        }
        if (range.step().isEmpty() || range.min().isEmpty()) {
            return true;
        }
        int places = places(range);
        if (places > 0 && !isWhole(amount, places)) {
            return false;
        }
        if (!isSmall(amount, places)) {
            return true; // upstream's 64-bit arithmetic cannot check this amount
        }
        BigDecimal above =
                rounded(amount, places).subtract(rounded(range.min().get().amount(), places));
        return above.remainder(rounded(range.step().get().amount(), places)).signum() == 0;
    }
}
