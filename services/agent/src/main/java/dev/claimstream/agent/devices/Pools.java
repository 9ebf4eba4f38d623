package dev.claimstream.agent.devices;

import dev.claimstream.dra.Device;
import dev.claimstream.dra.NodeScope;
import dev.claimstream.dra.ObjectMeta;
import dev.claimstream.dra.ResourceSlice;
import dev.claimstream.dra.Taint;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Builds the ResourceSlices of a node, one pool per driver. Not thread-safe.
 *
 * <p>The generation of a pool grows when a device appears, disappears or moves to another slice, and stays when only
 * attributes or taints change. A pool without devices keeps one empty slice, so that consumers see that its devices are
 * gone.
 */
public final class Pools {
    // resource.k8s.io/v1: at most 128 devices in a slice, 64 if any of them has taints
    private static final int DEVICES_MAX = 128;
    private static final int TAINTED_DEVICES_MAX = 64;

    private final String node;
    private final long firstGeneration;
    private final SortedMap<String, PoolLayout> layouts = new TreeMap<>();

    /** Device names by slice, and the generation since which they are valid. */
    private record PoolLayout(long generation, List<List<String>> slices) {
        PoolLayout update(List<List<String>> now) {
            return slices.equals(now) ? this : new PoolLayout(generation + 1, now);
        }
    }

    /** @param firstGeneration higher than every generation that this node has published */
    public Pools(String node, long firstGeneration) {
        this.node = node;
        this.firstGeneration = firstGeneration;
    }

    /** Returns the current slices of all pools, ordered by driver. */
    public List<ResourceSlice> of(List<Accelerator> accelerators, Function<Accelerator, List<Taint>> taints) {
        SortedMap<String, List<Device>> devices = accelerators.stream()
                .collect(Collectors.groupingBy(
                        Accelerator::driver,
                        TreeMap::new,
                        Collectors.mapping(
                                each -> DeviceFactory.of(each, taints.apply(each)), Collectors.toUnmodifiableList())));
        layouts.keySet().forEach(driver -> devices.putIfAbsent(driver, List.of()));
        List<ResourceSlice> slices = new ArrayList<>();
        devices.forEach((driver, all) -> slices.addAll(pool(driver, all)));
        return slices;
    }

    private List<ResourceSlice> pool(String driver, List<Device> devices) {
        List<List<Device>> parts = parts(devices);
        List<List<String>> names = parts.stream()
                .map(part -> part.stream().map(Device::name).toList())
                .toList();
        PoolLayout layout = layouts.containsKey(driver)
                ? layouts.get(driver).update(names)
                : new PoolLayout(firstGeneration, names);
        layouts.put(driver, layout);
        List<ResourceSlice> slices = new ArrayList<>();
        for (int i = 0; i < parts.size(); i++) {
            slices.add(slice(driver, i, layout.generation(), parts.size(), parts.get(i)));
        }
        return slices;
    }

    private static List<List<Device>> parts(List<Device> devices) {
        int size = devices.stream().allMatch(each -> each.taints().isEmpty()) ? DEVICES_MAX : TAINTED_DEVICES_MAX;
        List<List<Device>> parts = new ArrayList<>();
        for (int start = 0; start < devices.size(); start += size) {
            parts.add(devices.subList(start, Math.min(devices.size(), start + size)));
        }
        return parts.isEmpty() ? List.of(List.of()) : parts;
    }

    private ResourceSlice slice(String driver, int position, long generation, int count, List<Device> devices) {
        String name = "%s-%s-%d".formatted(node, driver, position);
        String uid =
                UUID.nameUUIDFromBytes(name.getBytes(StandardCharsets.UTF_8)).toString();
        return ResourceSlice.builder(ObjectMeta.of("", name, uid), driver, node)
                .generation(generation)
                .resourceSliceCount(count)
                .scope(new NodeScope.SingleNode(node))
                .devices(devices)
                .build();
    }
}
