package dev.claimstream.selectors.functions;

import com.google.common.primitives.UnsignedLong;
import dev.cel.common.values.CelByteString;
import dev.claimstream.selectors.values.GoStrings;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.OptionalInt;

/** The order of the ordered types. */
final class ValueOrder {
    private ValueOrder() {}

    static boolean isOrdered(Object value) {
        return value instanceof Number
                || value instanceof String
                || value instanceof Boolean
                || value instanceof CelByteString
                || value instanceof Duration
                || value instanceof Instant;
    }

    /** Compares two values; empty if they have no common order. */
    static OptionalInt compare(Object a, Object b) {
        return switch (a) {
            case Long x when b instanceof Long y -> OptionalInt.of(x.compareTo(y));
            case Number x when b instanceof Number y -> numbers(x, y);
            case String x when b instanceof String y -> OptionalInt.of(GoStrings.compare(x, y));
            case Boolean x when b instanceof Boolean y -> OptionalInt.of(x.compareTo(y));
            case CelByteString x
            when b instanceof CelByteString y ->
                OptionalInt.of(Arrays.compareUnsigned(x.toByteArray(), y.toByteArray()));
            case Duration x when b instanceof Duration y -> OptionalInt.of(x.compareTo(y));
            case Instant x when b instanceof Instant y -> OptionalInt.of(x.compareTo(y));
            default -> OptionalInt.empty();
        };
    }

    private static OptionalInt numbers(Number a, Number b) {
        double x = a.doubleValue();
        double y = b.doubleValue();
        if (Double.isNaN(x) || Double.isNaN(y)) {
            return OptionalInt.empty();
        }
        if (Double.isInfinite(x) || Double.isInfinite(y)) {
            return OptionalInt.of(Double.compare(x, y));
        }
        return OptionalInt.of(exact(a).compareTo(exact(b)));
    }

    private static BigDecimal exact(Number number) {
        return number instanceof UnsignedLong u
                ? new BigDecimal(u.bigIntegerValue())
                : number instanceof Long l ? BigDecimal.valueOf(l) : new BigDecimal(number.doubleValue());
    }
}
