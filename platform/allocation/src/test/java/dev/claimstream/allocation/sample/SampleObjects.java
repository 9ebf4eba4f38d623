package dev.claimstream.allocation.sample;

import dev.claimstream.dra.Device;
import dev.claimstream.dra.DeviceClass;
import dev.claimstream.dra.DeviceTaintRule;
import dev.claimstream.dra.Node;
import dev.claimstream.dra.ObjectMeta;
import dev.claimstream.dra.OpaqueConfig;
import dev.claimstream.dra.ResourceSlice;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;

/** Creates objects of a cluster with default values for everything that a test does not set. */
public final class SampleObjects {
    /** The driver of devices without an explicit driver. */
    public static final String DRIVER = "driver.example";

    private SampleObjects() {}

    /** Creates a ready node with labels such as {@code zone=a}. */
    public static Node node(String name, String... labels) {
        var map = new TreeMap<String, String>();
        for (String label : labels) {
            String[] pair = label.split("=", 2);
            map.put(pair[0], pair[1]);
        }
        return new Node(ObjectMeta.of("", name, "uid-of-" + name).withLabels(map), List.of(), false, true);
    }

    /** Creates the only slice of a pool that has the name of its node. */
    public static ResourceSlice slice(String node, String... devices) {
        return slice(node + "-slice", node, 1, 1, node, devices);
    }

    /** Creates a slice of a pool of {@link #DRIVER}. */
    public static ResourceSlice slice(
            String name, String pool, long generation, long count, String where, String... devices) {
        return ResourceSlice.builder(ObjectMeta.of("", name, "uid-of-" + name), DRIVER, pool)
                .generation(generation)
                .resourceSliceCount(count)
                .scope(DeviceText.scope(where))
                .devices(Arrays.stream(devices)
                        .filter(text -> !DeviceText.isCounterSet(text))
                        .map(DeviceText::device)
                        .toList())
                .sharedCounters(Arrays.stream(devices)
                        .filter(DeviceText::isCounterSet)
                        .map(DeviceText::counterSet)
                        .toList())
                .build();
    }

    /** Creates a slice of the given driver. */
    public static ResourceSlice slice(
            String name, String driver, String pool, long generation, long count, String where, List<Device> devices) {
        return ResourceSlice.builder(ObjectMeta.of("", name, "uid-of-" + name), driver, pool)
                .generation(generation)
                .resourceSliceCount(count)
                .scope(DeviceText.scope(where))
                .devices(devices)
                .build();
    }

    /** Creates a DeviceClass with selectors in the language of {@link TextSelectors}. */
    public static DeviceClass deviceClass(String name, String... selectors) {
        return new DeviceClass(
                ObjectMeta.of("", name, "uid-of-" + name), List.of(selectors), List.of(), Optional.empty());
    }

    /** Copies a DeviceClass and sets opaque configuration for {@link #DRIVER}. */
    public static DeviceClass withConfig(DeviceClass plain, String... parameters) {
        return new DeviceClass(
                plain.meta(),
                plain.selectors(),
                Arrays.stream(parameters)
                        .map(each -> new OpaqueConfig(DRIVER, each))
                        .toList(),
                Optional.empty());
    }

    /**
     * Creates a DeviceTaintRule. An empty driver, pool or device selects all.
     *
     * @param taint as in {@link DeviceText#taint}
     */
    public static DeviceTaintRule taintRule(String name, String taint, String driver, String pool, String device) {
        return new DeviceTaintRule(
                ObjectMeta.of("", name, "uid-of-" + name),
                Optional.of(new DeviceTaintRule.DeviceTaintSelector(
                        optionalName(driver), optionalName(pool), optionalName(device))),
                DeviceText.taint(taint));
    }

    private static Optional<String> optionalName(String name) {
        return Optional.of(name).filter(text -> !text.isEmpty());
    }
}
