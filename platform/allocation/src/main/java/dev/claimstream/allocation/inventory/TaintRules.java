package dev.claimstream.allocation.inventory;

import dev.claimstream.dra.Device;
import dev.claimstream.dra.DeviceId;
import dev.claimstream.dra.DeviceTaintRule;
import dev.claimstream.dra.ResourceSlice;
import dev.claimstream.dra.Taint;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/** The DeviceTaintRules of the cluster, which add taints to the devices that they select. */
final class TaintRules {
    private final SortedMap<String, DeviceTaintRule> byName = new TreeMap<>();

    void put(DeviceTaintRule rule) {
        byName.put(rule.meta().name(), rule);
    }

    /** Removes a rule, and returns whether it existed. */
    boolean remove(String name) {
        return byName.remove(name) != null;
    }

    /** Returns a device with its own taints and those of matching rules. */
    Device apply(ResourceSlice slice, Device device) {
        if (byName.isEmpty()) {
            return device;
        }
        var id = new DeviceId(slice.driver(), slice.pool(), device.name());
        List<Taint> taints = new ArrayList<>(device.taints());
        byName.values().stream().filter(rule -> rule.selects(id)).forEach(rule -> taints.add(rule.taint()));
        return taints.size() == device.taints().size() ? device : device.withTaints(taints);
    }
}
