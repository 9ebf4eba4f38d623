package dev.claimstream.allocation.solver;

import dev.claimstream.dra.AttributeValue;
import dev.claimstream.dra.Device;
import java.util.Optional;

/** How a fully qualified attribute name finds its value: as written, else without the domain where that is the driver's. */
final class Attributes {
    private Attributes() {}

    static Optional<AttributeValue> of(String driver, Device device, String qualifiedName) {
        AttributeValue exact = device.attributes().get(qualifiedName);
        if (exact != null) {
            return Optional.of(exact);
        }
        return qualifiedName.startsWith(driver + "/")
                ? Optional.ofNullable(device.attributes().get(qualifiedName.substring(driver.length() + 1)))
                : Optional.empty();
    }

    static boolean isList(AttributeValue value) {
        return switch (value) {
            case AttributeValue.IntValue v -> false;
            case AttributeValue.BoolValue v -> false;
            case AttributeValue.StringValue v -> false;
            case AttributeValue.VersionValue v -> false;
            case AttributeValue.Unknown v -> true;
            case AttributeValue.IntList v -> true;
            case AttributeValue.BoolList v -> true;
            case AttributeValue.StringList v -> true;
            case AttributeValue.VersionList v -> true;
        };
    }
}
