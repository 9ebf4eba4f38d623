package dev.claimstream.allocator.streams;

import dev.claimstream.allocation.cell.Stamp;
import dev.claimstream.dra.Allocation;
import dev.claimstream.dra.ClusterObject;
import dev.claimstream.dra.CounterConsumption;
import dev.claimstream.dra.CounterSet;
import dev.claimstream.dra.Device;
import dev.claimstream.dra.DeviceClass;
import dev.claimstream.dra.DeviceId;
import dev.claimstream.dra.DeviceResult;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.Node;
import dev.claimstream.dra.NodeScope;
import dev.claimstream.dra.ObjectMeta;
import dev.claimstream.dra.Pod;
import dev.claimstream.dra.PodClaim;
import dev.claimstream.dra.Quantity;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.dra.ResourceSlice;
import dev.claimstream.wire.PublicRecord;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** A class, driver, node and source of their own, so that tests on one cluster do not affect each other. */
final class ClusterFixture {
    private final String name;
    private final Map<ClusterObject, Long> versions = new HashMap<>();
    private long version;

    ClusterFixture(String name) {
        this.name = name;
    }

    String driver() {
        return name + ".example.com";
    }

    Node node() {
        return ClusterInputs.nodeOf(name);
    }

    DeviceClass deviceClass() {
        return ClusterInputs.classOf(name, driver());
    }

    /** The only slice of the pool, with all devices, at this generation. */
    ResourceSlice slice(long generation, String... devices) {
        return slice(generation, "1", 1, devices);
    }

    /** One of {@code slices} slices of the pool. */
    ResourceSlice slice(long generation, String which, long slices, String... devices) {
        return ResourceSlice.builder(
                        ObjectMeta.of("", name + "-slice-" + which, "uid-" + name + "-slice-" + which), driver(), name)
                .generation(generation)
                .resourceSliceCount(slices)
                .scope(new NodeScope.SingleNode(name))
                .devices(Arrays.stream(devices)
                        .map(each -> Device.of(each, new TreeMap<>(), new TreeMap<>()))
                        .toList())
                .build();
    }

    /** The first of two slices of the pool: the shared counters. */
    ResourceSlice counterSlice(long generation, long memory) {
        return withContents(
                slice(generation, "counters", 2), List.of(), List.of(new CounterSet("memory", memoryCounter(memory))));
    }

    /** The second of two slices of the pool: devices that each consume {@code memory} of the counters. */
    ResourceSlice consumingSlice(long generation, long memory, String... devices) {
        List<Device> counting = Arrays.stream(devices)
                .map(each -> Device.builder(each)
                        .consumesCounters(List.of(new CounterConsumption("memory", memoryCounter(memory), List.of())))
                        .build())
                .toList();
        return withContents(slice(generation, "devices", 2), counting, List.of());
    }

    private static SortedMap<String, Quantity> memoryCounter(long memory) {
        return new TreeMap<>(Map.of("memory", Quantity.of(memory)));
    }

    private static ResourceSlice withContents(ResourceSlice slice, List<Device> devices, List<CounterSet> counters) {
        return slice.toBuilder()
                .devices(devices)
                .sharedCounters(counters)
                .skipNodeOperations(List.of())
                .build();
    }

    ResourceClaim claim(String claim, long devices) {
        return ClusterInputs.claimOf(qualifiedName(claim), name, devices);
    }

    /** A pod that uses claims of this fixture. */
    Pod pod(String pod, String... claims) {
        return Pod.builder(ObjectMeta.of("team", qualifiedName(pod), "uid-" + qualifiedName(pod)))
                .resourceClaims(Arrays.stream(claims)
                        .map(each -> new PodClaim(each, new PodClaim.ClaimSource.ClaimReference(qualifiedName(each))))
                        .toList())
                .build();
    }

    /** The claim with a device that another allocator has allocated. */
    ResourceClaim allocated(ResourceClaim claim, String device) {
        var result = DeviceResult.of("gpus", new DeviceId(driver(), name, device));
        return new ResourceClaim(
                claim.meta(),
                claim.spec(),
                Optional.of(new Allocation(List.of(result), List.of(), Optional.empty(), Optional.empty())),
                List.of());
    }

    /** Name of an object of this fixture in the cluster. */
    String qualifiedName(String claim) {
        return name + "-" + claim;
    }

    /** A watcher with this epoch. All watchers of a fixture are one source. */
    WatchSource watch(long epoch) {
        return new WatchSource(epoch);
    }

    /** Records of one watcher. Watchers give one object the same version. */
    final class WatchSource {
        private final long epoch;

        private WatchSource(long epoch) {
            this.epoch = epoch;
        }

        PublicRecord upsert(ClusterObject object) {
            return PublicRecord.upsert(stamp(versions.computeIfAbsent(object, each -> ++version)), object);
        }

        PublicRecord deletion(ClusterObject object) {
            return PublicRecord.deletion(stamp(++version), object);
        }

        /** Marks the list as complete, up to the highest version so far. */
        PublicRecord syncMarker(Kind kind) {
            return PublicRecord.syncMarker(stamp(version), kind, 0);
        }

        private Stamp stamp(long of) {
            return new Stamp(name, epoch, of);
        }
    }
}
