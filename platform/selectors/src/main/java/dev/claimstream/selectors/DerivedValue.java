package dev.claimstream.selectors;

import dev.cel.common.types.TypeType;
import dev.claimstream.dra.AttributeValue;
import dev.claimstream.dra.Derivation.Value;
import dev.claimstream.selectors.functions.Kinds;
import dev.claimstream.selectors.values.VersionValue;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * Converts the result of an expression to an attribute.
 *
 * <p>The first element determines the type of a list; an empty list is a list of strings. Lengths and numbers are not limited, unlike those
 * of published attributes.
 */
final class DerivedValue {
    /** An attribute type, for scalars and lists. */
    private record Sort<T>(
            String name, Class<T> type, Function<T, AttributeValue> one, Function<List<T>, AttributeValue> many) {
        boolean holds(Object value) {
            return type.isInstance(value);
        }

        Value found(Object value) {
            return new Value.Found(one.apply(type.cast(value)));
        }

        Value foundAll(List<?> elements) {
            List<T> values = new ArrayList<>(elements.size());
            for (Object element : elements) {
                Object value = plain(element);
                if (!holds(value)) {
                    return failed("expected list element at index %d to be %s, got %s"
                            .formatted(values.size(), name, GoTypes.of(value)));
                }
                values.add(type.cast(value));
            }
            return new Value.Found(many.apply(values));
        }
    }

    private static final List<Sort<?>> SORTS = List.of(
            new Sort<>("bool", Boolean.class, AttributeValue.BoolValue::new, AttributeValue.BoolList::new),
            new Sort<>("int", Long.class, AttributeValue.IntValue::new, AttributeValue.IntList::new),
            new Sort<>("string", String.class, AttributeValue.StringValue::new, AttributeValue.StringList::new),
            new Sort<>("semver", VersionValue.class, DerivedValue::version, DerivedValue::versions));

    private DerivedValue() {}

    static Value of(Object result) {
        if (result instanceof List<?> list) {
            return ofList(list);
        }
        Object value = plain(result);
        return sort(value)
                .map(sort -> sort.found(value))
                .orElseGet(() -> failed("unsupported CEL return type: " + GoTypes.of(value)));
    }

    private static Value ofList(List<?> list) {
        if (list.isEmpty()) {
            return new Value.Found(new AttributeValue.StringList(List.of()));
        }
        Object first = plain(list.getFirst());
        return sort(first)
                .map(sort -> sort.foundAll(list))
                .orElseGet(() -> failed("unsupported list element type: " + GoTypes.of(first)));
    }

    private static Optional<Sort<?>> sort(Object value) {
        return SORTS.stream().filter(each -> each.holds(value)).findFirst();
    }

    /** Unwraps an optional and converts a type to its name, as upstream does. */
    private static Object plain(Object value) {
        return switch (value) {
            case Optional<?> optional when optional.isPresent() -> plain(optional.get());
            case TypeType type -> Kinds.nameOfType(type);
            default -> value;
        };
    }

    private static AttributeValue version(VersionValue version) {
        return new AttributeValue.VersionValue(version.toString());
    }

    private static AttributeValue versions(List<VersionValue> versions) {
        return new AttributeValue.VersionList(
                versions.stream().map(VersionValue::toString).toList());
    }

    /** Creates the result of a failed evaluation. */
    static Value failed(String message) {
        return new Value.Failed(message, false);
    }
}
