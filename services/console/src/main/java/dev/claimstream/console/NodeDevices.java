package dev.claimstream.console;

import dev.claimstream.dra.NodeScope;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The devices that each node can access.
 *
 * @param byNode devices that are local to one node, by node name
 * @param others devices with another scope, matched per node
 */
record NodeDevices(Map<String, List<DeviceView>> byNode, List<DeviceView> others) {
    static NodeDevices of(InventoryView inventory) {
        var byNode = new HashMap<String, List<DeviceView>>();
        var others = new ArrayList<DeviceView>();
        for (DeviceView device : inventory.devices()) {
            if (device.scope() instanceof NodeScope.SingleNode(String node)) {
                byNode.computeIfAbsent(node, _ -> new ArrayList<>()).add(device);
            } else {
                others.add(device);
            }
        }
        return new NodeDevices(byNode, others);
    }

    List<DeviceView> of(NodeStatus node) {
        var devices = new ArrayList<>(byNode.getOrDefault(node.name(), List.of()));
        others.stream().filter(device -> node.reaches(device.scope())).forEach(devices::add);
        return devices;
    }
}
