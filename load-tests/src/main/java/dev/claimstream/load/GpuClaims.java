package dev.claimstream.load;

import dev.claimstream.allocation.solver.ItemShape;
import dev.claimstream.allocation.solver.NodeRules;
import dev.claimstream.dra.AllocationMode;
import dev.claimstream.dra.ClaimSpec;
import dev.claimstream.dra.DeviceClass;
import dev.claimstream.dra.DeviceRequest;
import dev.claimstream.dra.ObjectMeta;
import dev.claimstream.dra.RequestSpec;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** Creates claims for GPUs. */
public final class GpuClaims {
    private GpuClaims() {}

    /** Returns the class of all GPUs by its name. */
    public static SortedMap<String, DeviceClass> classes() {
        var classes = new TreeMap<String, DeviceClass>();
        classes.put(
                GpuFleet.DRIVER,
                new DeviceClass(
                        ObjectMeta.of("", GpuFleet.DRIVER, "class"),
                        List.of(
                                "device.driver == \"gpu.nvidia.com\" && device.attributes[\"gpu.nvidia.com\"].type == \"gpu\""),
                        List.of(),
                        Optional.empty()));
        return classes;
    }

    /** Returns an item that requests GPUs with at least the given memory. */
    static ItemShape gpus(long count, String memory) {
        return new ItemShape(List.of(spec(count, memory)), NodeRules.none());
    }

    /** Returns a claim for GPUs with at least the given memory. */
    public static ClaimSpec spec(long count, String memory) {
        var spec = new RequestSpec(
                GpuFleet.DRIVER,
                List.of("device.capacity[\"gpu.nvidia.com\"].memory.compareTo(quantity(\"" + memory + "\")) >= 0"),
                AllocationMode.EXACT_COUNT,
                count,
                List.of(),
                new TreeMap<>());
        return new ClaimSpec(List.of(new DeviceRequest.Exactly("gpu", spec, Optional.empty())), List.of(), List.of());
    }
}
