package dev.claimstream.selectors.functions;

import com.google.common.primitives.UnsignedLong;
import dev.claimstream.selectors.functions.FunctionRegistry.FunctionBody;
import java.time.Duration;
import java.time.Instant;
import java.util.AbstractList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongBinaryOperator;
import java.util.function.Predicate;

/** The operators and standard functions in which Kubernetes differs from CEL for Java. */
final class Operators {
    private Operators() {}

    static void addTo(Map<String, FunctionBody> bodies) {
        bodies.put("_==_", a -> Equality.equal(a[0], a[1]));
        bodies.put("_!=_", a -> Equality.unequal(a[0], a[1]));
        bodies.put("_<_", a -> order("_<_", a) < 0);
        bodies.put("_<=_", a -> order("_<=_", a) <= 0);
        bodies.put("_>_", a -> order("_>_", a) > 0);
        bodies.put("_>=_", a -> order("_>=_", a) >= 0);
        bodies.put("@in", a -> isIn(a[0], a[1]));
        bodies.put("type", a -> ValueTypes.typeOf(a[0]));
        wholeNumbers(bodies, "_+_", Operators::sum);
        wholeNumbers(bodies, "_-_", Operators::difference);
        wholeNumbers(bodies, "_*_", Operators::product);
        wholeNumbers(bodies, "_/_", Operators::quotient);
        FunctionBody sum = standard(bodies, "_+_");
        bodies.put("_+_", a -> a[0] instanceof List<?> x && a[1] instanceof List<?> y ? joined(x, y) : sum.call(a));
        bodies.put("_%_", a -> remainder(a[0], a[1]));
        requireOperand(
                bodies,
                "_+_",
                value -> (ValueOrder.isOrdered(value) && !(value instanceof Boolean)) || value instanceof List);
        requireOperand(
                bodies,
                "_-_",
                value -> value instanceof Number || value instanceof Duration || value instanceof Instant);
        requireOperand(bodies, "_*_", Number.class::isInstance);
        requireOperand(bodies, "_/_", Number.class::isInstance);
        requireOperand(bodies, "_%_", value -> value instanceof Long || value instanceof UnsignedLong);
        requireOperand(bodies, "size", ValueTypes::hasSize);
        bodies.put("@not_strictly_false", a -> a[0] instanceof Boolean ? a[0] : true);
        bodies.put(
                "cel.@mapInsert",
                a -> a.length == 2 ? withEntries(a[0], (Map<?, ?>) a[1]) : withEntries(a[0], Map.of(a[1], a[2])));
    }

    /** Makes an operator name itself in the error for an unsupported first operand, as upstream does for types without methods. */
    private static void requireOperand(Map<String, FunctionBody> bodies, String name, Predicate<Object> isOperand) {
        FunctionBody body = standard(bodies, name);
        bodies.put(name, a -> {
            if (!isOperand.test(a[0])
                    && !(a[0] instanceof String || a[0] instanceof Duration || a[0] instanceof Instant)) {
                throw new CallException("no such overload: " + name);
            }
            return body.call(a);
        });
    }

    private static FunctionBody standard(Map<String, FunctionBody> bodies, String name) {
        return Optional.ofNullable(bodies.get(name)).orElseThrow();
    }

    /** Replaces an operator for ints by an implementation with a cheap overflow check. */
    private static void wholeNumbers(Map<String, FunctionBody> bodies, String name, LongBinaryOperator operator) {
        FunctionBody others = standard(bodies, name);
        bodies.put(
                name,
                a -> a[0] instanceof Long x && a[1] instanceof Long y
                        ? (Object) operator.applyAsLong(x, y)
                        : others.call(a));
    }

    private static long sum(long x, long y) {
        long sum = x + y;
        return checked(sum, ((x ^ sum) & (y ^ sum)) >= 0);
    }

    private static long difference(long x, long y) {
        long difference = x - y;
        return checked(difference, ((x ^ y) & (x ^ difference)) >= 0);
    }

    private static long product(long x, long y) {
        long product = x * y;
        return checked(product, Math.multiplyHigh(x, y) == product >> (Long.SIZE - 1));
    }

    private static long quotient(long x, long y) {
        if (y == 0) {
            throw new CallException("division by zero");
        }
        return checked(x / y, x != Long.MIN_VALUE || y != -1);
    }

    private static long checked(long result, boolean fits) {
        if (!fits) {
            throw new CallException("integer overflow");
        }
        return result;
    }

    private static int order(String name, Object[] arguments) {
        return ValueOrder.compare(arguments[0], arguments[1])
                .orElseThrow(() -> new CallException(noOrder(name, arguments[0], arguments[1])));
    }

    private static String noOrder(String name, Object a, Object b) {
        if (a instanceof Number && b instanceof Number) {
            return "NaN values cannot be ordered";
        }
        return "no such overload" + (ValueOrder.isOrdered(a) ? "" : ": " + name);
    }

    private static boolean isIn(Object element, Object container) {
        return switch (container) {
            case Map<?, ?> map -> Equality.find(map, element).isPresent();
            case List<?> list -> Equality.contains(list, element);
            default -> throw new CallException("no such overload");
        };
    }

    /** Computes the remainder; the smallest int has none for -1. */
    private static Object remainder(Object a, Object b) {
        if (a instanceof Long x && b instanceof Long y) {
            if (y == 0) {
                throw new CallException("modulus by zero");
            }
            if (x == Long.MIN_VALUE && y == -1) {
                throw new CallException("integer overflow");
            }
            return x % y;
        }
        if (a instanceof UnsignedLong x && b instanceof UnsignedLong y) {
            if (y.equals(UnsignedLong.ZERO)) {
                throw new CallException("modulus by zero");
            }
            return x.mod(y);
        }
        throw new CallException("no such overload");
    }

    /** Concatenates two lists without a copy. */
    private static List<?> joined(List<?> a, List<?> b) {
        if (a instanceof GrowableCollection.GrowableList growing) {
            return growing.plus(b);
        }
        if (a.isEmpty() || b.isEmpty()) {
            return a.isEmpty() ? b : a;
        }
        return new ConcatenatedList(a, b, ResultSizeLimit.check("_+_", (long) a.size() + b.size()));
    }

    private static final class ConcatenatedList extends AbstractList<Object> {
        private final List<?> head;
        private final List<?> tail;
        private final int size;

        ConcatenatedList(List<?> head, List<?> tail, int size) {
            this.head = head;
            this.tail = tail;
            this.size = size;
        }

        @Override
        public Object get(int index) {
            return index < head.size() ? head.get(index) : tail.get(index - head.size());
        }

        @Override
        public int size() {
            return size;
        }
    }

    private static Object withEntries(Object map, Map<?, ?> more) {
        if (!(map instanceof Map<?, ?> before)) {
            throw new CallException("no such overload");
        }
        if (before instanceof GrowableCollection.GrowableMap growing) {
            more.forEach(growing::plus);
            return growing;
        }
        GrowableCollection.GrowableMap copy = new GrowableCollection.GrowableMap();
        before.forEach(copy::plus);
        more.forEach(copy::plus);
        return copy.freeze();
    }
}
