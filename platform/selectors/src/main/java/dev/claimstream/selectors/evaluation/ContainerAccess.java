package dev.claimstream.selectors.evaluation;

import com.google.common.primitives.UnsignedLong;
import dev.claimstream.selectors.functions.Equality;
import dev.claimstream.selectors.functions.ValueFormatter;
import dev.claimstream.selectors.functions.ValueTypes;
import dev.claimstream.selectors.values.EmptyMessage;
import dev.claimstream.selectors.values.GoStrings;
import dev.claimstream.selectors.values.NameMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Looks up keys in maps and indices in lists; other values have no entries. */
final class ContainerAccess {
    /** The key has no entry. */
    static final Object NOTHING = new Object();

    private ContainerAccess() {}

    /** Returns whether the type of a value can be a key; the container checks the key itself. */
    static boolean isKey(Object value) {
        return value instanceof String
                || value instanceof Long
                || value instanceof UnsignedLong
                || value instanceof Boolean
                || value instanceof Double;
    }

    /** Like {@link #get}, with a value that may not be a key. */
    static Object getAt(Object container, Object key) {
        return isKey(key) ? get(container, key) : invalidKey(key);
    }

    /** Like {@link #find}, with a value that may not be a key. */
    static Object findAt(Object container, Object key) {
        return isKey(key) ? find(container, key) : invalidKey(key);
    }

    private static EvaluationFailure invalidKey(Object key) {
        return new EvaluationFailure("invalid qualifier type: " + ValueTypes.goTypeOf(key));
    }

    /** Returns the value of a key or a {@link EvaluationFailure}. */
    static Object get(Object container, Object key) {
        Object found = find(container, key);
        if (found != NOTHING) {
            return found;
        }
        return new EvaluationFailure(
                (container instanceof List ? "index out of bounds: " : "no such key: ") + ValueFormatter.text(key));
    }

    /** Returns the value of a key, {@link #NOTHING}, or a {@link EvaluationFailure} if the key's type is not supported. */
    static Object find(Object container, Object key) {
        return switch (container) {
            case NameMap map -> valueOrNothing(map.find(key));
            case Map<?, ?> map -> valueOrNothing(Equality.find(map, key));
            case List<?> list -> element(list, key);
            case EmptyMessage _
            when key instanceof String name -> new EvaluationFailure("no such field '%s'".formatted(name));
            case EmptyMessage _ -> EvaluationFailure.NO_SUCH_OVERLOAD;
            default -> NOTHING;
        };
    }

    private static Object valueOrNothing(Optional<Object> found) {
        return found.isPresent() ? found.get() : NOTHING;
    }

    private static Object element(List<?> list, Object index) {
        long at = -1;
        switch (index) {
            case Long number -> at = number;
            case UnsignedLong number when number.bigIntegerValue().bitLength() < Long.SIZE -> at = number.longValue();
            case UnsignedLong _ -> {}
            case Double number when number == Math.rint(number) && Math.abs(number) < 1e15 -> at = number.longValue();
            case Double number -> {
                return new EvaluationFailure("unsupported index value %s in list".formatted(GoStrings.number(number)));
            }
            default -> {
                return new EvaluationFailure(
                        "unsupported index type '%s' in list".formatted(ValueTypes.typeName(index)));
            }
        }
        return at < 0 || at >= list.size() ? NOTHING : list.get((int) at);
    }
}
