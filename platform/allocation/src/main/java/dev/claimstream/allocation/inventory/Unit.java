package dev.claimstream.allocation.inventory;

import dev.claimstream.dra.Quantity;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Collection;

/**
 * A power of ten of which amounts are whole multiples, so that they can be reckoned with as numbers of 64 bits. Where they would not
 * fit, the unit is coarser: what is taken is rounded up, what there is is rounded down, and nothing is given out twice.
 *
 * @param places how many decimal places it has; negative: how many digits are left out before the point
 */
public record Unit(int places) {
    /** So large that the takings of a pool can be summed up. */
    private static final BigDecimal MOST = BigDecimal.valueOf(Long.MAX_VALUE >> 2);

    /** Whole numbers are left as they are, as long as they fit. */
    private static final BigDecimal WHOLE_MOST = BigDecimal.valueOf(Long.MAX_VALUE);

    /** The unit of these amounts. */
    public static Unit of(Collection<Quantity> amounts) {
        int places = amounts.stream()
                .mapToInt(each -> Math.max(0, each.amount().scale()))
                .max()
                .orElse(0);
        BigDecimal most = amounts.stream()
                .map(each -> each.amount().abs())
                .max(BigDecimal::compareTo)
                .orElse(BigDecimal.ZERO);
        while (most.movePointRight(places).compareTo(places > 0 ? MOST : WHOLE_MOST) > 0) {
            places--;
        }
        return new Unit(places);
    }

    /** An amount that somebody takes. */
    public long taken(Quantity amount) {
        return number(amount.amount(), RoundingMode.CEILING);
    }

    /** An amount that there is. */
    public long available(Quantity amount) {
        return number(amount.amount(), RoundingMode.FLOOR);
    }

    private long number(BigDecimal amount, RoundingMode mode) {
        BigDecimal moved = amount.movePointRight(places).setScale(0, mode);
        BigDecimal most = BigDecimal.valueOf(Long.MAX_VALUE);
        return moved.min(most).max(most.negate()).longValueExact();
    }
}
