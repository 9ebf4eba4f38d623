package dev.claimstream.systemtests.topics;

import dev.claimstream.dra.Allocation;
import dev.claimstream.dra.AllocationMode;
import dev.claimstream.dra.AttributeValue;
import dev.claimstream.dra.ClaimSpec;
import dev.claimstream.dra.ClusterObject;
import dev.claimstream.dra.CounterConsumption;
import dev.claimstream.dra.CounterSet;
import dev.claimstream.dra.Device;
import dev.claimstream.dra.DeviceCapacity;
import dev.claimstream.dra.DeviceClass;
import dev.claimstream.dra.DeviceConstraint;
import dev.claimstream.dra.DeviceId;
import dev.claimstream.dra.DeviceRequest;
import dev.claimstream.dra.DeviceResult;
import dev.claimstream.dra.Node;
import dev.claimstream.dra.NodeScope;
import dev.claimstream.dra.ObjectMeta;
import dev.claimstream.dra.Pod;
import dev.claimstream.dra.PodClaim;
import dev.claimstream.dra.Quantity;
import dev.claimstream.dra.RequestSpec;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.dra.ResourceSlice;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Objects that an API server would reject, but that a foreign producer can write to the topics. */
final class NonsenseObjects {
    private static final String CLASS = "gpu.example.com";

    private final List<ClusterObject> objects = new ArrayList<>();

    private NonsenseObjects() {}

    /** Returns all objects; none refers to an existing node. */
    static List<ClusterObject> all() {
        var nonsense = new NonsenseObjects();
        nonsense.addClaims();
        nonsense.addAllocatedClaims();
        nonsense.addSlices();
        nonsense.addOthers();
        return nonsense.objects;
    }

    private ObjectMeta meta() {
        String name = "nonsense-" + objects.size();
        return ObjectMeta.of("nonsense", name, "uid-" + name);
    }

    private ObjectMeta clusterMeta() {
        String name = "nonsense-" + objects.size();
        return ObjectMeta.of("", name, "uid-" + name);
    }

    private static DeviceRequest request(
            String name, String deviceClass, String mode, long count, String... selectors) {
        return new DeviceRequest.Exactly(
                name,
                new RequestSpec(
                        deviceClass, List.of(selectors), new AllocationMode(mode), count, List.of(), new TreeMap<>()),
                Optional.empty());
    }

    private void addClaim(List<DeviceConstraint> constraints, DeviceRequest... requests) {
        objects.add(new ResourceClaim(
                meta(), new ClaimSpec(List.of(requests), constraints, List.of()), Optional.empty(), List.of()));
    }

    private void addClaims() {
        for (long count : new long[] {0, -1, Long.MIN_VALUE, Integer.MAX_VALUE, Long.MAX_VALUE}) {
            addClaim(List.of(), request("gpu", CLASS, "ExactCount", count));
        }
        addClaim(List.of());
        addClaim(List.of(), request("", "", "", 1));
        addClaim(List.of(), request("gpu", CLASS, "Sometimes", 1));
        addClaim(List.of(), request("gpu", CLASS, "ExactCount", 1, "device.", "", "1", "device.attributes[\"x\"].y"));
        addClaim(List.of(), request("gpu", CLASS, "ExactCount", 99), request("gpu", CLASS, "ExactCount", 99));
        addClaim(
                List.of(
                        new DeviceConstraint.MatchAttribute(List.of("undeclared", "undeclared"), "a/b/c"),
                        new DeviceConstraint.DistinctAttribute(List.of(""), "")),
                request("gpu", CLASS, "ExactCount", 99));
        addClaim(List.of(), new DeviceRequest.FirstAvailable("gpu", List.of()));
        addClaim(List.of(), new DeviceRequest.UnknownRequest(""));
        addClaim(List.of(), request("all", "nowhere.example.com", "All", -7));
        objects.add(new ResourceClaim(
                ObjectMeta.of("", "", ""),
                new ClaimSpec(List.of(), List.of(), List.of()),
                Optional.empty(),
                List.of()));
    }

    /** Adds two claims that hold one unpublished device, and a claim that holds it twice. */
    private void addAllocatedClaims() {
        var result = DeviceResult.of("gpu", new DeviceId("nobody.example.com", "", "gpu"));
        for (List<DeviceResult> results : List.of(List.of(result), List.of(result), List.of(result, result))) {
            objects.add(new ResourceClaim(
                    meta(),
                    new ClaimSpec(List.of(), List.of(), List.of()),
                    Optional.of(new Allocation(results, List.of(), Optional.empty(), Optional.empty())),
                    List.of()));
        }
    }

    private void addSlice(long generation, long count, NodeScope scope, List<CounterSet> counters, Device... devices) {
        ObjectMeta meta = clusterMeta();
        objects.add(ResourceSlice.builder(meta, "example.com", meta.name())
                .generation(generation)
                .resourceSliceCount(count)
                .scope(scope)
                .devices(List.of(devices))
                .sharedCounters(counters)
                .build());
    }

    private void addSlices() {
        var nowhere = new NodeScope.SingleNode("nowhere");
        Device plain = Device.of("gpu", new TreeMap<>(), new TreeMap<>());
        addSlice(-1, 1, nowhere, List.of(), plain);
        addSlice(Long.MAX_VALUE, 0, nowhere, List.of(), plain);
        addSlice(1, -1, nowhere, List.of(), plain);
        addSlice(1, 1, nowhere, List.of(), plain, plain);
        addSlice(1, 1, new NodeScope.SingleNode(""), List.of(), Device.of("", new TreeMap<>(), new TreeMap<>()));
        addSlice(1, 1, new NodeScope.PerDevice(), List.of(), plain);
        addSlice(1, 1, new NodeScope.UnknownScope(), List.of(), plain);
        addSlice(
                1,
                1,
                nowhere,
                List.of(),
                Device.of(
                        "gpu",
                        new TreeMap<String, AttributeValue>(
                                Map.of("", new AttributeValue.StringValue(""), "///", new AttributeValue.IntValue(1))),
                        new TreeMap<>(Map.of("", DeviceCapacity.of(Quantity.of(-1))))));
        var counters = new CounterSet("set", new TreeMap<>(Map.of("memory", Quantity.of(-5))));
        addSlice(1, 1, nowhere, List.of(counters, counters));
        addSlice(
                1,
                1,
                nowhere,
                List.of(),
                Device.builder("part")
                        .consumesCounters(List.of(new CounterConsumption(
                                "undeclared", new TreeMap<>(Map.of("memory", Quantity.of(1))), List.of())))
                        .bindsToNode(true)
                        .bindingConditions(List.of("", ""))
                        .allowMultipleAllocations(true)
                        .build());
    }

    private void addOthers() {
        objects.add(new DeviceClass(clusterMeta(), List.of("device.", ""), List.of(), Optional.of("")));
        objects.add(new Node(ObjectMeta.of("", "", ""), List.of(), false, true));
        objects.add(Pod.builder(meta())
                .nodeName(Optional.of(""))
                .priority(Integer.MIN_VALUE)
                .resourceClaims(List.of(
                        new PodClaim("", new PodClaim.ClaimSource.ClaimReference("")),
                        new PodClaim("gpu", new PodClaim.ClaimSource.ClaimReference("nonsense-0")),
                        new PodClaim("gpu", new PodClaim.ClaimSource.GeneratedClaim("", "nonsense-0")),
                        new PodClaim("gpu", new PodClaim.ClaimSource.TemplateReference("nowhere"))))
                .build());
    }
}
