package dev.claimstream.selectors;

import dev.cel.common.types.TypeType;
import dev.claimstream.dra.AttributeValue;
import dev.claimstream.dra.Derivation.DerivationOutcome;
import dev.claimstream.selectors.functions.ValueTypes;
import dev.claimstream.selectors.values.SemverValue;
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
    private record AttributeType<T>(
            String name,
            Class<T> type,
            Function<T, AttributeValue> scalarFactory,
            Function<List<T>, AttributeValue> listFactory) {
        boolean accepts(Object value) {
            return type.isInstance(value);
        }

        DerivationOutcome scalarValue(Object value) {
            return new DerivationOutcome.DerivedAttributeValue(scalarFactory.apply(type.cast(value)));
        }

        DerivationOutcome listValue(List<?> elements) {
            List<T> values = new ArrayList<>(elements.size());
            for (Object element : elements) {
                Object value = unwrapped(element);
                if (!accepts(value)) {
                    return failed("expected list element at index %d to be %s, got %s"
                            .formatted(values.size(), name, GoTypes.of(value)));
                }
                values.add(type.cast(value));
            }
            return new DerivationOutcome.DerivedAttributeValue(listFactory.apply(values));
        }
    }

    private static final List<AttributeType<?>> ATTRIBUTE_TYPES = List.of(
            new AttributeType<>("bool", Boolean.class, AttributeValue.BoolValue::new, AttributeValue.BoolList::new),
            new AttributeType<>("int", Long.class, AttributeValue.IntValue::new, AttributeValue.IntList::new),
            new AttributeType<>(
                    "string", String.class, AttributeValue.StringValue::new, AttributeValue.StringList::new),
            new AttributeType<>("semver", SemverValue.class, DerivedValue::version, DerivedValue::versions));

    private DerivedValue() {}

    static DerivationOutcome of(Object result) {
        if (result instanceof List<?> list) {
            return ofList(list);
        }
        Object value = unwrapped(result);
        return attributeType(value)
                .map(sort -> sort.scalarValue(value))
                .orElseGet(() -> failed("unsupported CEL return type: " + GoTypes.of(value)));
    }

    private static DerivationOutcome ofList(List<?> list) {
        if (list.isEmpty()) {
            return new DerivationOutcome.DerivedAttributeValue(new AttributeValue.StringList(List.of()));
        }
        Object first = unwrapped(list.getFirst());
        return attributeType(first)
                .map(sort -> sort.listValue(list))
                .orElseGet(() -> failed("unsupported list element type: " + GoTypes.of(first)));
    }

    private static Optional<AttributeType<?>> attributeType(Object value) {
        return ATTRIBUTE_TYPES.stream().filter(each -> each.accepts(value)).findFirst();
    }

    /** Unwraps an optional and converts a type to its name, as upstream does. */
    private static Object unwrapped(Object value) {
        return switch (value) {
            case Optional<?> optional when optional.isPresent() -> unwrapped(optional.get());
            case TypeType type -> ValueTypes.typeValueName(type);
            default -> value;
        };
    }

    private static AttributeValue version(SemverValue version) {
        return new AttributeValue.VersionValue(version.toString());
    }

    private static AttributeValue versions(List<SemverValue> versions) {
        return new AttributeValue.VersionList(
                versions.stream().map(SemverValue::toString).toList());
    }

    /** Creates the result of a failed evaluation. */
    static DerivationOutcome failed(String message) {
        return new DerivationOutcome.DerivationError(message, false);
    }
}
