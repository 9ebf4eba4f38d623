package dev.claimstream.load.upstream;

import dev.claimstream.dra.AllocationMode;
import dev.claimstream.dra.AttributeValue;
import dev.claimstream.dra.ClaimSpec;
import dev.claimstream.dra.CounterConsumption;
import dev.claimstream.dra.CounterSet;
import dev.claimstream.dra.Device;
import dev.claimstream.dra.DeviceClass;
import dev.claimstream.dra.DeviceConstraint;
import dev.claimstream.dra.DeviceRequest;
import dev.claimstream.dra.NodeScope;
import dev.claimstream.dra.ObjectMeta;
import dev.claimstream.dra.Quantity;
import dev.claimstream.dra.RequestSpec;
import dev.claimstream.dra.ResourceSlice;
import dev.claimstream.load.GpuClaims;
import dev.claimstream.load.GpuFleet;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;

/** The measured clusters and claims. */
final class BenchmarkClusters {
    private static final long SEED = 1;
    private static final String DRIVER = GpuFleet.DRIVER;

    /** The partitions of an A100: their positions and the slices of compute and memory that each consumes. */
    private static final List<PartitionProfile> PROFILES = List.of(
            new PartitionProfile("1g", 1, 1, List.of(0, 1, 2, 3, 4, 5, 6)),
            new PartitionProfile("2g", 2, 2, List.of(0, 2, 4)),
            new PartitionProfile("3g", 3, 4, List.of(0, 4)),
            new PartitionProfile("4g", 4, 4, List.of(0)),
            new PartitionProfile("7g", 7, 8, List.of(0)));

    private record PartitionProfile(String text, int compute, int memory, List<Integer> places) {}

    private BenchmarkClusters() {}

    /** Returns a cluster with GPUs, 70 % of them allocated to claims for 1, 2, 4 and 8 GPUs. */
    static BenchmarkCluster fleet(String name, GpuFleet fleet, ClaimSpec wanted) {
        var setting = new BenchmarkCluster(name, wanted);
        GpuClaims.classes().values().forEach(setting::with);
        for (int i = 0; i < fleet.nodes(); i++) {
            setting.with(fleet.node(i), fleet.slices(i));
        }
        List<ClaimSpec> sorts = List.of(
                GpuClaims.spec(1, "40Gi"),
                GpuClaims.spec(2, "40Gi"),
                GpuClaims.spec(4, "40Gi"),
                GpuClaims.spec(8, "40Gi"));
        setting.fill(sorts, fleet.size() * 8 / 10, SEED);
        return setting.releaseSome(setting.allocatedClaims() / 8, SEED);
    }

    /** Returns a cluster with nodes of 64 devices in groups, and a claim for devices of one group. */
    static BenchmarkCluster groups(String name, int nodes, int group, int count) {
        var wanted = new ClaimSpec(
                List.of(new DeviceRequest.Exactly("r", request("any", count), Optional.empty())),
                List.of(new DeviceConstraint.MatchAttribute(List.of(), "gpu.nvidia.com/group")),
                List.of());
        var setting = new BenchmarkCluster(name, wanted).with(anyClass());
        var fleet = new GpuFleet(nodes, 64);
        for (int node = 0; node < nodes; node++) {
            List<Device> devices = new ArrayList<>();
            for (int i = 0; i < 64; i++) {
                var attributes = new TreeMap<String, AttributeValue>();
                attributes.put("group", new AttributeValue.IntValue(i / group));
                devices.add(Device.of("gpu-%02d".formatted(i), attributes, new TreeMap<>()));
            }
            setting.with(fleet.node(node), List.of(slice(node, "gpus", 1, devices, List.of())));
        }
        return setting;
    }

    /** Returns one node with one device less than the claim requests. */
    static BenchmarkCluster oneShort(int count) {
        return fewer("%d of %d equal devices".formatted(count, count - 1), count);
    }

    private static BenchmarkCluster fewer(String name, int count) {
        var wanted = new ClaimSpec(
                List.of(new DeviceRequest.Exactly("r", request("any", count), Optional.empty())), List.of(), List.of());
        List<Device> devices = new ArrayList<>();
        for (int i = 0; i < count - 1; i++) {
            devices.add(Device.of("gpu-%02d".formatted(i), new TreeMap<>(), new TreeMap<>()));
        }
        return new BenchmarkCluster(name, wanted)
                .with(anyClass())
                .with(new GpuFleet(1, 1).node(0), List.of(slice(0, "gpus", 1, devices, List.of())));
    }

    /**
     * Returns a cluster with nodes of 4 GPUs with 14 partitions each. It was full, then every tenth claim was
     * deallocated.
     */
    static BenchmarkCluster partitions(String name, int nodes, String wanted) {
        var setting = new BenchmarkCluster(name, partition(wanted));
        PROFILES.forEach(profile -> setting.with(profileClass(profile.text)));
        var fleet = new GpuFleet(nodes, 4);
        for (int node = 0; node < nodes; node++) {
            List<ResourceSlice> slices = new ArrayList<>();
            List<CounterSet> sets = new ArrayList<>();
            for (int gpu = 0; gpu < 4; gpu++) {
                sets.add(counters(gpu));
            }
            slices.add(slice(node, "counters", 5, List.of(), sets));
            for (int gpu = 0; gpu < 4; gpu++) {
                slices.add(slice(node, "gpu-" + gpu, 5, partitions(gpu), List.of()));
            }
            setting.with(fleet.node(node), slices);
        }
        List<ClaimSpec> sorts = List.of(partition("1g"), partition("2g"), partition("3g"));
        setting.fill(sorts, Integer.MAX_VALUE, SEED);
        return setting.releaseSome(setting.allocatedClaims() / 10, SEED);
    }

    private static List<Device> partitions(int gpu) {
        List<Device> made = new ArrayList<>();
        for (PartitionProfile profile : PROFILES) {
            for (int place : profile.places) {
                var counters = new TreeMap<String, Quantity>();
                counters.put("compute", Quantity.of(profile.compute));
                for (int i = place; i < place + profile.memory; i++) {
                    counters.put("memory-slice-" + i, Quantity.of(1));
                }
                var attributes = new TreeMap<String, AttributeValue>();
                attributes.put("profile", new AttributeValue.StringValue(profile.text));
                made.add(Device.builder("gpu-%d-%s-%d".formatted(gpu, profile.text, place))
                        .attributes(attributes)
                        .consumesCounters(List.of(new CounterConsumption("gpu-" + gpu, counters, List.of())))
                        .build());
            }
        }
        return made;
    }

    private static CounterSet counters(int gpu) {
        var counters = new TreeMap<String, Quantity>();
        counters.put("compute", Quantity.of(7));
        for (int i = 0; i < 8; i++) {
            counters.put("memory-slice-" + i, Quantity.of(1));
        }
        return new CounterSet("gpu-" + gpu, counters);
    }

    private static ResourceSlice slice(int node, String name, int count, List<Device> devices, List<CounterSet> sets) {
        String on = GpuFleet.name(node);
        return ResourceSlice.builder(ObjectMeta.of("", on + "-" + name, on + "-" + name), DRIVER, on)
                .generation(1)
                .resourceSliceCount(count)
                .scope(new NodeScope.SingleNode(on))
                .devices(devices)
                .sharedCounters(sets)
                .build();
    }

    private static ClaimSpec partition(String profile) {
        return new ClaimSpec(
                List.of(new DeviceRequest.Exactly("r", request(profile, 1), Optional.empty())), List.of(), List.of());
    }

    private static RequestSpec request(String deviceClass, long count) {
        return new RequestSpec(deviceClass, List.of(), AllocationMode.EXACT_COUNT, count, List.of(), new TreeMap<>());
    }

    private static DeviceClass profileClass(String profile) {
        return deviceClass(profile, "device.attributes[\"gpu.nvidia.com\"].profile == \"%s\"".formatted(profile));
    }

    private static DeviceClass anyClass() {
        return deviceClass("any", "device.driver == \"gpu.nvidia.com\"");
    }

    private static DeviceClass deviceClass(String name, String selector) {
        return new DeviceClass(ObjectMeta.of("", name, name), List.of(selector), List.of(), Optional.empty());
    }
}
