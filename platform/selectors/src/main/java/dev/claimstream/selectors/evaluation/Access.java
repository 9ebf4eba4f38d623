package dev.claimstream.selectors.evaluation;

import com.google.common.primitives.UnsignedLong;
import dev.claimstream.selectors.functions.Equality;
import dev.claimstream.selectors.functions.FormattedValue;
import dev.claimstream.selectors.functions.Kinds;
import dev.claimstream.selectors.values.EmptyMessage;
import dev.claimstream.selectors.values.NameMap;
import dev.claimstream.selectors.values.Text;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Looks up keys in maps and indices in lists; other values have no entries. */
final class Access {
    /** The key has no entry. */
    static final Object NOTHING = new Object();

    private Access() {}

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
        return isKey(key) ? get(container, key) : noKey(key);
    }

    /** Like {@link #find}, with a value that may not be a key. */
    static Object findAt(Object container, Object key) {
        return isKey(key) ? find(container, key) : noKey(key);
    }

    private static Failure noKey(Object key) {
        return new Failure("invalid qualifier type: " + Kinds.goTypeOf(key));
    }

    /** Returns the value of a key or a {@link Failure}. */
    static Object get(Object container, Object key) {
        Object found = find(container, key);
        if (found != NOTHING) {
            return found;
        }
        return new Failure(
                (container instanceof List ? "index out of bounds: " : "no such key: ") + FormattedValue.text(key));
    }

    /** Returns the value of a key, {@link #NOTHING}, or a {@link Failure} if the key's type is not supported. */
    static Object find(Object container, Object key) {
        return switch (container) {
            case NameMap map -> orNothing(map.find(key));
            case Map<?, ?> map -> orNothing(Equality.find(map, key));
            case List<?> list -> element(list, key);
            case EmptyMessage _ when key instanceof String name -> new Failure("no such field '%s'".formatted(name));
            case EmptyMessage _ -> Failure.NO_SUCH_OVERLOAD;
            default -> NOTHING;
        };
    }

    private static Object orNothing(Optional<Object> found) {
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
                return new Failure("unsupported index value %s in list".formatted(Text.number(number)));
            }
            default -> {
                return new Failure("unsupported index type '%s' in list".formatted(Kinds.nameOf(index)));
            }
        }
        return at < 0 || at >= list.size() ? NOTHING : list.get((int) at);
    }
}
