package dev.claimstream.selectors;

import dev.claimstream.dra.AttributeValue;
import dev.claimstream.dra.AttributeValue.BoolList;
import dev.claimstream.dra.AttributeValue.BoolValue;
import dev.claimstream.dra.AttributeValue.IntList;
import dev.claimstream.dra.AttributeValue.IntValue;
import dev.claimstream.dra.AttributeValue.StringList;
import dev.claimstream.dra.AttributeValue.StringValue;
import dev.claimstream.dra.AttributeValue.UnknownValue;
import dev.claimstream.dra.AttributeValue.VersionList;
import dev.claimstream.dra.AttributeValue.VersionValue;
import dev.claimstream.dra.Device;
import dev.claimstream.dra.DeviceCapacity;
import dev.claimstream.dra.Quantity;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/** The devices of the recorded outputs of upstream; {@code src/test/oracle/main.go} has the same devices. */
final class Devices {
    static final String DRIVER = "dra.example.com";

    private static final Map<String, Device> ALL = Map.of(
            "bare", device(Map.of(), Map.of(), false),
            "gpu", gpu(),
            "unknown", device(Map.of("a", new BoolValue(true), "b", new UnknownValue()), Map.of(), false),
            "badversion", device(Map.of("a", new BoolValue(true), "v", new VersionValue("1.2")), Map.of(), false),
            "badversions",
                    device(
                            Map.of("a", new BoolValue(true), "v", new VersionList(List.of("1.2.3", "01.2.3"))),
                            Map.of(),
                            false));

    private Devices() {}

    static Device named(String name) {
        return Objects.requireNonNull(ALL.get(name), name);
    }

    private static Device gpu() {
        return device(
                Map.ofEntries(
                        Map.entry("model", new StringValue("H200")),
                        Map.entry("uuid", new StringValue("GPU-18b2")),
                        Map.entry("index", new IntValue(3)),
                        Map.entry("mig", new BoolValue(true)),
                        Map.entry("ecc", new BoolValue(false)),
                        Map.entry("driverVersion", new VersionValue("550.54.15")),
                        Map.entry("firmware", new VersionValue("1.2.3-rc.1+build.7")),
                        Map.entry("links", new IntList(List.of(4L, 2L, 9L))),
                        Map.entry("tags", new StringList(List.of("fast", "hbm"))),
                        Map.entry("flags", new BoolList(List.of(true, false))),
                        Map.entry("runtimes", new VersionList(List.of("12.4.0", "12.6.0"))),
                        Map.entry("text", new StringValue("αβγ straße \"q\"\n")),
                        Map.entry("site.example.org/row", new IntValue(7)),
                        Map.entry("site.example.org/url", new StringValue("https://u@example.com:80/a%20b?x=1&x=2#f")),
                        Map.entry("site.example.org/ip", new StringValue("192.168.0.1"))),
                Map.of("memory", "141Gi", "cores", "1500m", "site.example.org/power", "700"),
                true);
    }

    static Device device(
            Map<String, ? extends AttributeValue> attributes, Map<String, String> capacity, boolean shared) {
        TreeMap<String, DeviceCapacity> capacities = new TreeMap<>();
        capacity.forEach((name, text) -> capacities.put(name, DeviceCapacity.of(Quantity.parse(text))));
        return Device.builder("device")
                .attributes(new TreeMap<>(attributes))
                .capacity(capacities)
                .allowMultipleAllocations(shared)
                .build();
    }
}
