package dev.claimstream.allocation.solver;

import dev.claimstream.dra.AttributeValue;
import dev.claimstream.dra.Device;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Looks up the value of a fully qualified attribute name. If a device does not publish the name as written and its
 * domain is the driver's, the name without the domain counts.
 */
final class AttributeLookup {
    private AttributeLookup() {}

    static Optional<AttributeValue> of(String driver, Device device, String qualifiedName) {
        AttributeValue exact = device.attributes().get(qualifiedName);
        if (exact != null) {
            return Optional.of(exact);
        }
        return isOf(driver, qualifiedName)
                ? Optional.ofNullable(device.attributes().get(qualifiedName.substring(driver.length() + 1)))
                : Optional.empty();
    }

    private static boolean isOf(String driver, String qualifiedName) {
        int end = driver.length();
        return qualifiedName.length() > end && qualifiedName.charAt(end) == '/' && qualifiedName.startsWith(driver);
    }

    /** Returns the elements of a list, or a set with the scalar value; the set is empty if the type is unknown. */
    static Set<AttributeValue> members(AttributeValue value) {
        return switch (value) {
            case AttributeValue.IntList v -> each(v.values(), AttributeValue.IntValue::new);
            case AttributeValue.BoolList v -> each(v.values(), AttributeValue.BoolValue::new);
            case AttributeValue.StringList v -> each(v.values(), AttributeValue.StringValue::new);
            case AttributeValue.VersionList v -> each(v.values(), AttributeValue.VersionValue::new);
            case AttributeValue.UnknownValue v -> Collections.emptySet();
            case AttributeValue.IntValue v -> Collections.singleton(v);
            case AttributeValue.BoolValue v -> Collections.singleton(v);
            case AttributeValue.StringValue v -> Collections.singleton(v);
            case AttributeValue.VersionValue v -> Collections.singleton(v);
        };
    }

    private static <T> Set<AttributeValue> each(List<T> values, Function<T, AttributeValue> scalar) {
        return values.stream().map(scalar).collect(Collectors.toCollection(LinkedHashSet::new));
    }

    static boolean isList(AttributeValue value) {
        return switch (value) {
            case AttributeValue.IntValue v -> false;
            case AttributeValue.BoolValue v -> false;
            case AttributeValue.StringValue v -> false;
            case AttributeValue.VersionValue v -> false;
            case AttributeValue.UnknownValue v -> true;
            case AttributeValue.IntList v -> true;
            case AttributeValue.BoolList v -> true;
            case AttributeValue.StringList v -> true;
            case AttributeValue.VersionList v -> true;
        };
    }
}
