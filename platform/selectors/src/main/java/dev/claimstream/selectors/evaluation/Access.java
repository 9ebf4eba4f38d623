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

/** Looks up keys in maps and indexes in lists; nothing else has entries. */
final class Access {
    /** That there is nothing at a key. */
    static final Object NOTHING = new Object();

    private Access() {}

    /** Whether a value can be a key; whether it is one of a list or map is seen there. */
    static boolean isKey(Object value) {
        return value instanceof String
                || value instanceof Long
                || value instanceof UnsignedLong
                || value instanceof Boolean
                || value instanceof Double;
    }

    /** As {@link #get} with a key that may be none. */
    static Object getAt(Object container, Object key) {
        return isKey(key) ? get(container, key) : noKey(key);
    }

    /** As {@link #find} with a key that may be none. */
    static Object findAt(Object container, Object key) {
        return isKey(key) ? find(container, key) : noKey(key);
    }

    private static Failure noKey(Object key) {
        return new Failure("invalid qualifier type: " + Kinds.goTypeOf(key));
    }

    /** What is at a key, or a {@link Failure}. */
    static Object get(Object container, Object key) {
        Object found = find(container, key);
        if (found != NOTHING) {
            return found;
        }
        return new Failure(
                (container instanceof List ? "index out of bounds: " : "no such key: ") + FormattedValue.text(key));
    }

    /** What is at a key, {@link #NOTHING}, or a {@link Failure} where such a key cannot be looked for. */
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
