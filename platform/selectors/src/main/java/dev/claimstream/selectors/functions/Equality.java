package dev.claimstream.selectors.functions;

import dev.cel.common.CelOptions;
import dev.cel.common.values.NullValue;
import dev.cel.runtime.RuntimeEquality;
import dev.cel.runtime.RuntimeHelpers;
import dev.claimstream.selectors.values.KubernetesValue;
import java.util.Map;
import java.util.Optional;

/**
 * CEL's equality with the trap of the Kubernetes types: such a value on the left of a value of another type is an error, on the right it
 * is unequal.
 */
final class Equality {
    private static final RuntimeEquality STANDARD = RuntimeEquality.create(
            RuntimeHelpers.create(),
            CelOptions.current().enableHeterogeneousNumericComparisons(true).build());

    private Equality() {}

    /** Whether both are equal; values of different types are not. */
    static boolean test(Object left, Object right) {
        return STANDARD.objectEquals(left, right);
    }

    /** The operator {@code ==}. */
    static boolean equal(Object left, Object right) {
        if (isForeign(left, right)) {
            throw new IllegalArgumentException("no such overload");
        }
        return test(left, right);
    }

    /** The operator {@code !=}: everything that is not equal, errors too. */
    static boolean unequal(Object left, Object right) {
        return isForeign(left, right) || !test(left, right);
    }

    private static boolean isForeign(Object left, Object right) {
        return left instanceof KubernetesValue && left.getClass() != right.getClass() && !(right instanceof NullValue);
    }

    /** The value at a key, numbers being one key whatever their type. */
    static Optional<Object> find(Map<?, ?> map, Object key) {
        return STANDARD.findInMap(map, key);
    }

    static boolean contains(Iterable<?> list, Object wanted) {
        for (Object element : list) {
            if (test(element, wanted)) {
                return true;
            }
        }
        return false;
    }
}
