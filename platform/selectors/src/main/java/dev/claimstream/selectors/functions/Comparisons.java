package dev.claimstream.selectors.functions;

import static dev.cel.runtime.CelFunctionBinding.fromOverloads;

import com.google.common.primitives.UnsignedLong;
import dev.cel.common.exceptions.CelInvalidArgumentException;
import dev.cel.common.values.CelByteString;
import dev.cel.runtime.CelFunctionBinding;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Order and remainder as in Go: what is no number has no order, texts compare by code point, and the smallest number has no remainder by -1. */
final class Comparisons {
    private record Type(String name, Class<?> values) {}

    private static final List<Type> NUMBERS = List.of(
            new Type("int64", Long.class), new Type("uint64", UnsignedLong.class), new Type("double", Double.class));
    private static final List<Type> OTHERS = List.of(
            new Type("bool", Boolean.class),
            new Type("string", String.class),
            new Type("bytes", CelByteString.class),
            new Type("timestamp", Instant.class),
            new Type("duration", Duration.class));

    /** An operator, and the signs of an order that it is true of. */
    private enum Operator {
        LESS("_<_", -1, -1),
        LESS_EQUALS("_<=_", -1, 0),
        GREATER("_>_", 1, 1),
        GREATER_EQUALS("_>=_", 0, 1);

        private final String text;
        private final int lowest;
        private final int highest;

        Operator(String text, int lowest, int highest) {
            this.text = text;
            this.lowest = lowest;
            this.highest = highest;
        }

        boolean isTrue(int order) {
            int sign = Integer.signum(order);
            return lowest <= sign && sign <= highest;
        }

        String overload(String types) {
            return name().toLowerCase(Locale.ROOT) + "_" + types;
        }
    }

    private Comparisons() {}

    static List<CelFunctionBinding> bindings() {
        List<CelFunctionBinding> bindings = new ArrayList<>();
        for (Operator operator : Operator.values()) {
            bindings.addAll(fromOverloads(operator.text, overloads(operator)));
        }
        bindings.addAll(fromOverloads(
                "_%_",
                CelFunctionBinding.from("modulo_int64", Long.class, Long.class, Comparisons::remainder),
                CelFunctionBinding.from(
                        "modulo_uint64", UnsignedLong.class, UnsignedLong.class, Comparisons::remainder)));
        return bindings;
    }

    private static List<CelFunctionBinding> overloads(Operator operator) {
        List<CelFunctionBinding> overloads = new ArrayList<>();
        OTHERS.forEach(type -> overloads.add(overload(operator, type.name, type, type)));
        for (Type left : NUMBERS) {
            for (Type right : NUMBERS) {
                String types = left.equals(right) ? left.name : left.name + "_" + right.name;
                overloads.add(overload(operator, types, left, right));
            }
        }
        return overloads;
    }

    private static CelFunctionBinding overload(Operator operator, String types, Type left, Type right) {
        return CelFunctionBinding.from(
                operator.overload(types), left.values, right.values, (a, b) -> operator.isTrue(order(a, b)));
    }

    private static int order(Object a, Object b) {
        return Order.compare(a, b).orElseThrow(() -> new CelInvalidArgumentException("NaN values cannot be ordered"));
    }

    private static long remainder(long a, long b) {
        if (b == 0) {
            throw new CelInvalidArgumentException("modulus by zero");
        }
        if (a == Long.MIN_VALUE && b == -1) {
            throw new CelInvalidArgumentException("integer overflow");
        }
        return a % b;
    }

    private static UnsignedLong remainder(UnsignedLong a, UnsignedLong b) {
        if (b.equals(UnsignedLong.ZERO)) {
            throw new CelInvalidArgumentException("modulus by zero");
        }
        return a.mod(b);
    }
}
