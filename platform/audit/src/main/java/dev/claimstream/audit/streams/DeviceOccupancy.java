package dev.claimstream.audit.streams;

import dev.claimstream.dra.DeviceId;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The devices that claims hold, with figures of their use. Devices of no single node count as one further node. */
final class DeviceOccupancy {
    private final Map<String, Set<DeviceId>> publishedBySlice = new HashMap<>();
    private final Map<String, String> nodeBySlice = new HashMap<>();
    private final Map<DeviceId, String> nodes = new HashMap<>();
    private final Map<String, Integer> sizes = new HashMap<>();
    private final Map<String, List<DeviceId>> devicesByClaim = new HashMap<>();
    private final Map<DeviceId, Integer> holders = new HashMap<>();
    private final Map<String, Integer> used = new HashMap<>();

    /**
     * The use of the devices at one time.
     *
     * @param devices number of published devices
     * @param allocated number of these that a claim holds
     * @param fragmented number of free devices on nodes on which another device is allocated
     */
    record DeviceUse(long devices, long allocated, long fragmented) {}

    /** Replaces the devices of a slice. */
    void publish(String slice, String node, List<DeviceId> devices) {
        withdraw(slice);
        nodeBySlice.put(slice, node);
        publishedBySlice.put(slice, new HashSet<>(devices));
        devices.forEach(device -> {
            nodes.put(device, node);
            add(sizes, node, 1);
            if (holders.containsKey(device)) {
                add(used, node, 1);
            }
        });
    }

    /** Removes the devices of a slice. */
    void withdraw(String slice) {
        Set<DeviceId> before = publishedBySlice.remove(slice);
        String node = nodeBySlice.remove(slice);
        if (before == null || node == null) {
            return;
        }
        before.forEach(device -> {
            nodes.remove(device);
            add(sizes, node, -1);
            if (holders.containsKey(device)) {
                add(used, node, -1);
            }
        });
    }

    /** Adds to a count, and returns the new count. A count of 0 has no entry. */
    private static <K> int add(Map<K, Integer> counts, K key, int change) {
        int sum = counts.getOrDefault(key, 0) + change;
        if (sum == 0) {
            counts.remove(key);
        } else {
            counts.put(key, sum);
        }
        return sum;
    }

    /** Replaces the devices that a claim holds. */
    void allocate(String uid, List<DeviceId> devices) {
        release(uid);
        devicesByClaim.put(uid, List.copyOf(devices));
        devices.forEach(device -> {
            if (add(holders, device, 1) == 1) {
                count(device, 1);
            }
        });
    }

    /** Frees the devices that a claim holds. */
    void release(String uid) {
        List<DeviceId> before = devicesByClaim.remove(uid);
        if (before != null) {
            before.forEach(device -> {
                if (add(holders, device, -1) == 0) {
                    count(device, -1);
                }
            });
        }
    }

    private void count(DeviceId device, int change) {
        String node = nodes.get(device);
        if (node != null) {
            add(used, node, change);
        }
    }

    DeviceUse use() {
        long allocated = used.values().stream().mapToLong(Integer::longValue).sum();
        long onUsedNodes = used.keySet().stream()
                .mapToLong(node -> sizes.getOrDefault(node, 0))
                .sum();
        return new DeviceUse(nodes.size(), allocated, onUsedNodes - allocated);
    }
}
