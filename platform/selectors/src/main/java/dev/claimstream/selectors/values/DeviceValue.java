package dev.claimstream.selectors.values;

import dev.claimstream.dra.AttributeValue;
import dev.claimstream.dra.Device;
import dev.claimstream.dra.SemanticVersion;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/** The variable {@code device}: driver, attributes and capacity by domain and name, and {@code allowMultipleAllocations}. */
public final class DeviceValue extends NameMap {
    static final String DRIVER = "driver";
    static final String ATTRIBUTES = "attributes";
    static final String CAPACITY = "capacity";
    static final String SHARED = "allowMultipleAllocations";

    private DeviceValue(SortedMap<String, Object> fields) {
        super(fields);
    }

    /**
     * Creates the value of a device; names without a domain belong to the domain of the driver.
     *
     * @throws IllegalArgumentException if an attribute has an unknown type or an invalid version
     */
    public static DeviceValue of(String driver, Device device) {
        SortedMap<String, Object> attributes = new TreeMap<>();
        device.attributes().forEach((name, value) -> attributes.put(name, attribute(value)));
        SortedMap<String, Object> capacity = new TreeMap<>();
        device.capacity().forEach((name, value) -> capacity.put(name, new QuantityValue(value.value())));
        SortedMap<String, Object> fields = new TreeMap<>();
        fields.put(DRIVER, driver);
        fields.put(ATTRIBUTES, byDomain(driver, attributes));
        fields.put(CAPACITY, byDomain(driver, capacity));
        fields.put(SHARED, device.allowMultipleAllocations());
        return new DeviceValue(fields);
    }

    private static Object attribute(AttributeValue value) {
        return switch (value) {
            case AttributeValue.IntValue v -> v.value();
            case AttributeValue.BoolValue v -> v.value();
            case AttributeValue.StringValue v -> v.value();
            case AttributeValue.VersionValue v -> version(v.value());
            case AttributeValue.IntList v -> v.values();
            case AttributeValue.BoolList v -> v.values();
            case AttributeValue.StringList v -> v.values();
            case AttributeValue.VersionList v -> versions(v.values());
            case AttributeValue.UnknownValue v -> throw new IllegalArgumentException("unsupported attribute value");
        };
    }

    private static SemverValue version(String text) {
        return SemverValue.of(SemanticVersion.parse(text), text);
    }

    private static List<SemverValue> versions(List<String> texts) {
        return texts.stream().map(DeviceValue::version).toList();
    }

    /** Groups entries by domain. If a name is published with and without the driver's domain, the qualified name takes precedence. */
    private static DomainMap byDomain(String driver, SortedMap<String, Object> flat) {
        SortedMap<String, SortedMap<String, Object>> domains = new TreeMap<>();
        flat.forEach((name, value) -> {
            int slash = name.indexOf('/');
            String domain = slash < 0 ? driver : name.substring(0, slash);
            SortedMap<String, Object> ids = domains.computeIfAbsent(domain, d -> new TreeMap<>());
            if (slash < 0) {
                ids.putIfAbsent(name, value);
            } else {
                ids.put(name.substring(slash + 1), value);
            }
        });
        SortedMap<String, Object> maps = new TreeMap<>();
        domains.forEach((domain, ids) -> maps.put(domain, new NameMap(ids)));
        return new DomainMap(maps);
    }
}
