package dev.claimstream.console;

import dev.claimstream.dra.AttributeValue;
import dev.claimstream.dra.Device;
import dev.claimstream.dra.DeviceId;
import dev.claimstream.dra.PoolId;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The names by which exporters of vendors know a device. A name that the driver does not publish is empty.
 *
 * @param parentUuid of a MIG device, the UUID of its GPU
 * @param profile of a MIG device, such as {@code 1g.10gb}
 * @param index the published index, else the place of the PCI address among those of the pool, from 0, else the last digits of the name
 */
record ExporterNames(String uuid, String parentUuid, String profile, String serial, String index) {
    private static final Pattern LAST_DIGITS = Pattern.compile("([0-9]{1,9})[^0-9]*$");

    /** The PCI addresses of each pool, in order. */
    record PciAddresses(Map<PoolId, List<String>> byPool) {
        static PciAddresses of(Collection<DeviceView> devices) {
            var found = new HashMap<PoolId, SortedSet<String>>();
            for (DeviceView device : devices) {
                device.device()
                        .flatMap(PciAddresses::address)
                        .ifPresent(address -> found.computeIfAbsent(device.id().poolId(), _ -> new TreeSet<>())
                                .add(address));
            }
            var byPool = new HashMap<PoolId, List<String>>();
            found.forEach((pool, addresses) -> byPool.put(pool, List.copyOf(addresses)));
            return new PciAddresses(byPool);
        }

        private static Optional<String> address(Device device) {
            return attribute(device, "pciBusID", "pciAddress", "pciAddr");
        }

        private Optional<String> index(PoolId pool, Device device) {
            return address(device)
                    .map(byPool.getOrDefault(pool, List.of())::indexOf)
                    .filter(index -> index >= 0)
                    .map(String::valueOf);
        }
    }

    static ExporterNames of(DeviceId id, Optional<Device> published, PciAddresses addresses) {
        return new ExporterNames(
                published.flatMap(device -> attribute(device, "uuid")).orElse(""),
                published.flatMap(device -> attribute(device, "parentUUID")).orElse(""),
                published.flatMap(device -> attribute(device, "profile")).orElse(""),
                published
                        .flatMap(device -> attribute(device, "serial", "serialNumber"))
                        .orElse(""),
                published
                        .flatMap(device ->
                                attribute(device, "index", "deviceId").or(() -> addresses.index(id.poolId(), device)))
                        .orElseGet(() -> lastDigits(id.device())));
    }

    private static String lastDigits(String name) {
        Matcher digits = LAST_DIGITS.matcher(name);
        return digits.find() ? digits.group(1) : "";
    }

    /** Returns the first of these attributes that the device has as a text or a whole number. A domain before the name does not count. */
    private static Optional<String> attribute(Device device, String... names) {
        for (String name : names) {
            for (Map.Entry<String, AttributeValue> each : device.attributes().entrySet()) {
                String key = each.getKey();
                if (key.substring(key.indexOf('/') + 1).equals(name)) {
                    if (each.getValue() instanceof AttributeValue.StringValue(String text)) {
                        return Optional.of(text);
                    }
                    if (each.getValue() instanceof AttributeValue.IntValue(long number)) {
                        return Optional.of(Long.toString(number));
                    }
                }
            }
        }
        return Optional.empty();
    }
}
