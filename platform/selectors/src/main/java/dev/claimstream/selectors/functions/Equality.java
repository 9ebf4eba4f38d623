package dev.claimstream.selectors.functions;

import dev.cel.common.CelOptions;
import dev.cel.common.types.TypeType;
import dev.cel.common.values.NullValue;
import dev.cel.runtime.RuntimeEquality;
import dev.cel.runtime.RuntimeHelpers;
import dev.claimstream.selectors.values.KubernetesValue;
import dev.claimstream.selectors.values.QuantityValue;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * CEL equality with the special cases of the Kubernetes types.
 *
 * <p>A Kubernetes value on the left of a value of another type is an error; on the right it is unequal. Comparison of a Kubernetes value
 * with a computed quantity on the right is an error.
 */
public final class Equality {
    private static final RuntimeEquality STANDARD = RuntimeEquality.create(
            RuntimeHelpers.create(),
            CelOptions.current().enableHeterogeneousNumericComparisons(true).build());

    private Equality() {}

    /** Returns whether two values are equal; values that cannot be compared are unequal. */
    static boolean test(Object left, Object right) {
        return compare(left, right).orElse(false);
    }

    /** Implements {@code ==}. */
    static boolean equal(Object left, Object right) {
        return compare(left, right).orElseThrow(() -> new CallException("no such overload"));
    }

    /** Implements {@code !=}: true for everything that is not equal, including errors. */
    static boolean unequal(Object left, Object right) {
        return !test(left, right);
    }

    /**
     * Compares two values; empty for an error. Like upstream, an error in the comparison of elements does not make lists or maps unequal.
     */
    private static Optional<Boolean> compare(Object left, Object right) {
        return switch (left) {
            case KubernetesValue _ when isForeign(left, right) -> Optional.empty();
            case List<?> a when right instanceof List<?> b -> Optional.of(a.size() == b.size() && areEqual(a, b));
            case Map<?, ?> a when right instanceof Map<?, ?> b -> Optional.of(a.size() == b.size() && areEqual(a, b));
            case TypeType a
            when right instanceof TypeType b ->
                Optional.of(ValueTypes.typeValueName(a).equals(ValueTypes.typeValueName(b)));
            case Optional<?> a
            when right instanceof Optional<?> b && a.isPresent() && b.isPresent() -> compare(a.get(), b.get());
            default -> Optional.of(STANDARD.objectEquals(left, right));
        };
    }

    private static boolean areEqual(List<?> a, List<?> b) {
        for (int i = 0; i < a.size(); i++) {
            if (!compare(a.get(i), b.get(i)).orElse(true)) {
                return false;
            }
        }
        return true;
    }

    private static boolean areEqual(Map<?, ?> a, Map<?, ?> b) {
        return a.entrySet().stream()
                .allMatch(entry -> find(b, entry.getKey())
                        .filter(other -> compare(entry.getValue(), other).orElse(true))
                        .isPresent());
    }

    private static boolean isForeign(Object left, Object right) {
        boolean isOther = left.getClass() != right.getClass() && !(right instanceof NullValue);
        return isOther || (right instanceof QuantityValue amount && amount.isComputed());
    }

    /** Returns the value of a key; numbers of different types are the same key. */
    public static Optional<Object> find(Map<?, ?> map, Object key) {
        return isKey(key) ? STANDARD.findInMap(map, key) : Optional.empty();
    }

    /** Returns whether a value can be a key. A list or map is never found, because upstream compares them by identity. */
    private static boolean isKey(Object key) {
        return !(key instanceof List || key instanceof Map);
    }

    static boolean contains(Iterable<?> list, Object candidate) {
        for (Object element : list) {
            if (test(candidate, element)) {
                return true;
            }
        }
        return false;
    }
}
