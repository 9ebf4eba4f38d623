package dev.claimstream.manifests;

import dev.claimstream.dra.Allocation;
import dev.claimstream.dra.AllocationConfig;
import dev.claimstream.dra.AllocationMode;
import dev.claimstream.dra.AttributeValue;
import dev.claimstream.dra.ClaimConfig;
import dev.claimstream.dra.ClaimConsumer;
import dev.claimstream.dra.ClaimSpec;
import dev.claimstream.dra.ClusterObject;
import dev.claimstream.dra.CounterConsumption;
import dev.claimstream.dra.CounterSet;
import dev.claimstream.dra.DerivedAttribute;
import dev.claimstream.dra.Device;
import dev.claimstream.dra.DeviceCapacity;
import dev.claimstream.dra.DeviceCapacity.Range;
import dev.claimstream.dra.DeviceCapacity.RequestPolicy;
import dev.claimstream.dra.DeviceClass;
import dev.claimstream.dra.DeviceConstraint;
import dev.claimstream.dra.DeviceId;
import dev.claimstream.dra.DeviceRequest;
import dev.claimstream.dra.DeviceResult;
import dev.claimstream.dra.DeviceTaintRule;
import dev.claimstream.dra.HostPort;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.LabelSelector;
import dev.claimstream.dra.Namespace;
import dev.claimstream.dra.Node;
import dev.claimstream.dra.NodeAllocatable;
import dev.claimstream.dra.NodeScope;
import dev.claimstream.dra.NodeSelector;
import dev.claimstream.dra.ObjectMeta;
import dev.claimstream.dra.OpaqueConfig;
import dev.claimstream.dra.Owner;
import dev.claimstream.dra.Pod;
import dev.claimstream.dra.PodAffinityTerm;
import dev.claimstream.dra.PodClaim;
import dev.claimstream.dra.PodClaim.ClaimSource;
import dev.claimstream.dra.PodGroup;
import dev.claimstream.dra.PodTopology;
import dev.claimstream.dra.Quantity;
import dev.claimstream.dra.RequestSpec;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.dra.ResourceClaimTemplate;
import dev.claimstream.dra.ResourceList;
import dev.claimstream.dra.ResourceSlice;
import dev.claimstream.dra.Taint;
import dev.claimstream.dra.Toleration;
import dev.claimstream.dra.TopologySpreadConstraint;
import dev.claimstream.manifests.tree.RandomTrees;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.IntFunction;
import java.util.function.Supplier;

/** Valid random objects of every kind, reproducible from a seed. */
final class RandomObjects {
    private static final List<String> EFFECTS = List.of("NoSchedule", "NoExecute");

    private final Random random;
    private final RandomTrees trees;

    RandomObjects(long seed) {
        this.random = new Random(seed);
        this.trees = new RandomTrees(random);
    }

    ClusterObject next(Kind kind, String name) {
        return switch (kind) {
            case RESOURCE_SLICE -> slice(meta("", name));
            case DEVICE_CLASS ->
                new DeviceClass(
                        meta("", name),
                        list(3, i -> expression()),
                        list(2, i -> opaque()),
                        maybe(() -> "example.com/gpu"));
            case DEVICE_TAINT_RULE ->
                new DeviceTaintRule(
                        meta("", name),
                        maybe(() -> new DeviceTaintRule.DeviceTaintSelector(
                                maybe(() -> "gpu.example.com"), maybe(() -> "p/q"), maybe(() -> "gpu-0"))),
                        taint());
            case NODE ->
                new Node(
                        meta("", name),
                        list(2, i -> taint()),
                        flip(),
                        flip(),
                        list(2, i -> "Feature" + i),
                        resources());
            case NAMESPACE -> new Namespace(meta("", name));
            case RESOURCE_CLAIM -> claim(meta("ns-1", name));
            case RESOURCE_CLAIM_TEMPLATE ->
                new ResourceClaimTemplate(meta("ns-1", name), labels(), annotations(), spec());
            case POD -> pod(meta("ns-1", name));
            case POD_GROUP ->
                new PodGroup(meta("ns-1", name), random.nextInt(4), list(4, i -> new PodClaim("claim-" + i, source())));
        };
    }

    private ObjectMeta meta(String namespace, String name) {
        Optional<Instant> created = maybe(this::instant);
        return ObjectMeta.builder(namespace, name, flip() ? "uid-" + random.nextInt(100) : "")
                .created(created)
                .labels(labels())
                .annotations(annotations())
                .controller(maybe(() -> Owner.pod("p", "u")))
                .deleting(created.isPresent() && flip())
                .build();
    }

    private ResourceSlice slice(ObjectMeta meta) {
        boolean counters = random.nextInt(4) == 0;
        NodeScope scope = switch (random.nextInt(4)) {
            case 0 -> new NodeScope.SingleNode("node-1");
            case 1 -> new NodeScope.AllNodes();
            case 2 -> new NodeScope.MatchingNodes(new NodeSelector(List.of(term())));
            default -> new NodeScope.PerDevice();
        };
        return ResourceSlice.builder(meta, "gpu.example.com", "pool-" + random.nextInt(5) + "/x")
                .generation(random.nextInt(100))
                .resourceSliceCount(1 + random.nextInt(9))
                .scope(scope)
                .devices(counters ? List.of() : list(5, i -> device("gpu-" + i, scope instanceof NodeScope.PerDevice)))
                .sharedCounters(counters ? list(3, i -> new CounterSet("set-" + i, counters())) : List.of())
                .skipNodeOperations(skippedOperations())
                .build();
    }

    private List<String> skippedOperations() {
        return List.of(
                        List.<String>of(),
                        List.of("*"),
                        List.of("NodeUnprepareResources"),
                        List.of("NodePrepareResources", "NodeUnprepareResources"))
                .get(random.nextInt(4));
    }

    private Device device(String name, boolean ownScope) {
        SortedMap<String, AttributeValue> attributes = new TreeMap<>();
        list(5, i -> attributes.put((flip() ? "" : "example.com/") + "a" + i, attribute()));
        SortedMap<String, DeviceCapacity> capacity = new TreeMap<>();
        boolean shared = flip();
        list(3, i -> capacity.put("c" + i, capacity(shared)));
        boolean conditions = flip();
        return Device.builder(name)
                .attributes(attributes)
                .capacity(capacity)
                .consumesCounters(list(
                        2,
                        i -> new CounterConsumption("set-" + i, counters(), flip() ? List.of("g1", "g2") : List.of())))
                .scope(
                        ownScope
                                ? (flip() ? new NodeScope.SingleNode("n1") : new NodeScope.AllNodes())
                                : new NodeScope.UnknownScope())
                .taints(list(2, i -> taint()))
                .bindsToNode(flip())
                .bindingConditions(conditions ? List.of("example.com/ready") : List.of())
                .bindingFailureConditions(conditions ? List.of("failed", "lost") : List.of())
                .allowMultipleAllocations(shared)
                .nodeAllocatable(nodeAllocatable(List.copyOf(capacity.keySet())))
                .build();
    }

    private SortedMap<String, NodeAllocatable> nodeAllocatable(List<String> capacities) {
        SortedMap<String, NodeAllocatable> allocatable = new TreeMap<>();
        for (String resource : List.of("cpu", "hugepages-2Mi", "memory")) {
            if (random.nextInt(4) == 0) {
                Optional<NodeAllocatable.ResourceMapping> mapping = maybe(() -> capacities.isEmpty() || flip()
                        ? new NodeAllocatable.ResourceMapping.DeviceMapping(Quantity.parse("1500m"))
                        : new NodeAllocatable.ResourceMapping.CapacityMapping(
                                capacities.getFirst(), Quantity.parse("2Ki")));
                allocatable.put(
                        resource,
                        new NodeAllocatable(
                                mapping,
                                mapping.isEmpty() ? Optional.of(Quantity.parse("64Mi")) : maybe(() -> Quantity.of(1)),
                                maybe(() -> Quantity.parse("2"))));
            }
        }
        return allocatable;
    }

    private AttributeValue attribute() {
        return switch (random.nextInt(8)) {
            case 0 -> new AttributeValue.IntValue(random.nextLong());
            case 1 -> new AttributeValue.BoolValue(flip());
            case 2 -> new AttributeValue.StringValue(text());
            case 3 -> new AttributeValue.VersionValue(version());
            case 4 -> new AttributeValue.IntList(some(i -> random.nextLong()));
            case 5 -> new AttributeValue.BoolList(some(i -> flip()));
            case 6 -> new AttributeValue.StringList(some(i -> text()));
            default -> new AttributeValue.VersionList(some(i -> version()));
        };
    }

    private DeviceCapacity capacity(boolean shared) {
        if (!shared || flip()) {
            return DeviceCapacity.of(quantity());
        }
        Quantity two = Quantity.parse("2Gi");
        RequestPolicy policy = flip()
                ? new RequestPolicy(Optional.of(two), List.of(two, Quantity.parse("4Gi")), Optional.empty())
                : new RequestPolicy(
                        Optional.of(two),
                        List.of(),
                        Optional.of(new Range(Optional.of(two), maybe(() -> Quantity.parse("6Gi")), maybe(() -> two))));
        return new DeviceCapacity(Quantity.parse("8Gi"), Optional.of(policy));
    }

    private ResourceClaim claim(ObjectMeta meta) {
        ClaimSpec spec = spec();
        Optional<Allocation> allocation = spec.requests().isEmpty() ? Optional.empty() : maybe(() -> allocation(spec));
        List<ClaimConsumer> reserved = allocation.isEmpty()
                ? List.of()
                : list(3, i -> new ClaimConsumer(flip() ? "" : "apps", "pods", "pod-" + i, "uid-" + i));
        return new ResourceClaim(meta, spec, allocation, reserved);
    }

    private Allocation allocation(ClaimSpec spec) {
        List<String> requests =
                spec.requests().stream().map(DeviceRequest::name).toList();
        return new Allocation(
                list(
                        4,
                        i -> DeviceResult.builder(
                                        requests.get(random.nextInt(requests.size())),
                                        new DeviceId("gpu.example.com", "pool-1", "gpu-" + i))
                                .adminAccess(flip())
                                .tolerations(list(2, j -> toleration()))
                                .bindingConditions(i % 2 == 0 ? List.of("example.com/ready") : List.of())
                                .bindingFailureConditions(i % 2 == 0 ? List.of("failed") : List.of())
                                .shareId(maybe(() -> "00000000-0000-4000-8000-00000000000" + i))
                                .consumedCapacity(amounts())
                                .skipNodeOperations(skippedOperations())
                                .build()),
                list(
                        2,
                        i -> new AllocationConfig(
                                flip()
                                        ? AllocationConfig.AllocationConfigSource.FROM_CLASS
                                        : AllocationConfig.AllocationConfigSource.FROM_CLAIM,
                                flip() ? requests : List.of(),
                                opaque())),
                maybe(() -> new NodeSelector(some(i -> term()))),
                maybe(this::instant));
    }

    private ClaimSpec spec() {
        List<String> constrained =
                list(2, i -> List.of("example.com/root", "example.com/slot").get(i));
        List<DeviceRequest> requests = list(3, i -> request("r-" + i, constrained));
        List<String> names = requests.stream().map(DeviceRequest::name).toList();
        return new ClaimSpec(
                requests,
                constrained.stream().map(each -> constraint(each, names)).toList(),
                list(2, i -> new ClaimConfig(flip() ? names : List.of(), opaque())));
    }

    private DeviceConstraint constraint(String attribute, List<String> names) {
        return flip()
                ? new DeviceConstraint.MatchAttribute(names, attribute)
                : new DeviceConstraint.DistinctAttribute(names, attribute);
    }

    private DeviceRequest request(String name, List<String> constrained) {
        return flip()
                ? new DeviceRequest.Exactly(name, requestSpec(constrained), maybe(this::flip))
                : new DeviceRequest.FirstAvailable(
                        name, some(i -> new DeviceRequest.Alternative("alt-" + i, requestSpec(constrained))));
    }

    /** A derived attribute is valid only if a constraint uses it. */
    private List<DerivedAttribute> derived(List<String> constrained) {
        return constrained.stream()
                .filter(each -> flip())
                .map(each -> new DerivedAttribute(each, expression()))
                .toList();
    }

    private RequestSpec requestSpec(List<String> constrained) {
        boolean all = flip();
        return new RequestSpec(
                "gpu.example.com",
                list(2, i -> expression()),
                all ? AllocationMode.ALL : AllocationMode.EXACT_COUNT,
                all ? 0 : 1 + random.nextInt(9),
                list(2, i -> toleration()),
                amounts(),
                derived(constrained));
    }

    private Pod pod(ObjectMeta meta) {
        Optional<String> node = maybe(() -> "node-1");
        boolean isGone = meta.deleting() && node.isEmpty();
        String phase = flip() ? "" : flip() ? "Succeeded" : "Failed";
        ResourceList requests = resources();
        return Pod.builder(meta)
                .nodeName(node)
                .nodeSelector(labels())
                .requiredAffinity(maybe(() -> new NodeSelector(some(i -> term()))))
                .tolerations(list(2, i -> toleration()))
                .priority(flip() ? 0 : random.nextInt())
                .preempts(flip())
                .resourceClaims(list(4, i -> new PodClaim("claim-" + i, source(), random.nextInt(3))))
                .requests(requests)
                .spare(spare(requests))
                .podGroup(maybe(() -> "group-1"))
                .schedulingGates(list(2, i -> "gate-" + i))
                .topology(topology())
                .finished(isGone || !phase.isEmpty())
                .phase(phase)
                .build();
    }

    private PodTopology topology() {
        return new PodTopology(
                list(2, i -> affinityTerm()),
                list(2, i -> affinityTerm()),
                list(
                        2,
                        i -> new TopologySpreadConstraint(
                                "topology.kubernetes.io/zone",
                                1 + random.nextInt(3),
                                1 + random.nextInt(3),
                                maybe(this::labelSelector),
                                flip(),
                                flip())),
                list(
                        2,
                        i -> new HostPort(
                                flip() ? HostPort.ALL_ADDRESSES : "10.0.0.1", flip() ? "TCP" : "UDP", 8000 + i)),
                flip(),
                flip(),
                maybe(() -> "other"));
    }

    private PodAffinityTerm affinityTerm() {
        return new PodAffinityTerm(
                "kubernetes.io/hostname",
                maybe(this::labelSelector),
                new TreeSet<>(list(2, i -> "ns-" + i)),
                maybe(this::labelSelector));
    }

    private LabelSelector labelSelector() {
        return new LabelSelector(list(
                2,
                i -> flip()
                        ? new NodeSelector.Requirement("app", flip() ? "In" : "NotIn", List.of("a", "b"))
                        : new NodeSelector.Requirement("app", flip() ? "Exists" : "DoesNotExist", List.of())));
    }

    private SortedMap<String, Long> spare(ResourceList requests) {
        var spare = new TreeMap<String, Long>();
        requests.amounts().forEach((resource, amount) -> {
            if (ResourceList.isForPods(resource) && flip()) {
                spare.put(resource, flip() ? 0 : random.nextLong(amount + 1));
            }
        });
        return spare;
    }

    private ResourceList resources() {
        var amounts = new TreeMap<String, Long>();
        for (String resource : List.of("cpu", "memory", "pods", "example.com/thing")) {
            if (flip()) {
                amounts.put(resource, (long) random.nextInt(1_000_000));
            }
        }
        return new ResourceList(amounts);
    }

    private ClaimSource source() {
        return switch (random.nextInt(4)) {
            case 0 -> new ClaimSource.ClaimReference("c");
            case 1 -> new ClaimSource.TemplateReference("t");
            case 2 -> new ClaimSource.GeneratedClaim("t", "p-c-abcde");
            default -> new ClaimSource.NoClaimNeeded("t");
        };
    }

    private NodeSelector.Term term() {
        return new NodeSelector.Term(
                list(
                        2,
                        i -> flip()
                                ? new NodeSelector.Requirement("example.com/zone", "NotIn", List.of("a", "1", "true"))
                                : new NodeSelector.Requirement("gpu", "Exists", List.of())),
                flip() ? List.of() : List.of(new NodeSelector.Requirement("metadata.name", "In", List.of("n1"))));
    }

    private Taint taint() {
        return new Taint("example.com/bad", flip() ? "" : "true", EFFECTS.get(random.nextInt(2)), maybe(this::instant));
    }

    private Toleration toleration() {
        boolean exists = flip();
        return new Toleration(
                flip() ? "" : "example.com/bad",
                exists ? "Exists" : "Equal",
                exists || flip() ? "" : "no",
                flip() ? "" : EFFECTS.get(random.nextInt(2)),
                maybe(random::nextLong));
    }

    private SortedMap<String, Quantity> counters() {
        SortedMap<String, Quantity> counters = new TreeMap<>();
        some(i -> counters.put("memory-" + i, quantity()));
        return counters;
    }

    private SortedMap<String, Quantity> amounts() {
        SortedMap<String, Quantity> amounts = new TreeMap<>();
        list(2, i -> amounts.put("example.com/m" + i, quantity()));
        return amounts;
    }

    private SortedMap<String, String> labels() {
        SortedMap<String, String> labels = new TreeMap<>();
        List<String> values = List.of("", "true", "1", "1.5", "null", "y", "0x10", "a.b_c", "2026-01-01", "1e3");
        list(3, i -> labels.put("example.com/l" + i, values.get(random.nextInt(values.size()))));
        return labels;
    }

    private SortedMap<String, String> annotations() {
        SortedMap<String, String> annotations = new TreeMap<>();
        list(3, i -> annotations.put(trees.text() + i, trees.text()));
        return annotations;
    }

    private OpaqueConfig opaque() {
        return new OpaqueConfig("gpu.example.com", trees.mapping(3).json());
    }

    private Quantity quantity() {
        List<String> suffixes = List.of("", "m", "k", "G", "Ki", "Mi", "Gi", "e3");
        return Quantity.parse(random.nextInt(2000) + suffixes.get(random.nextInt(suffixes.size())));
    }

    private String version() {
        return "%d.%d.%d%s"
                .formatted(random.nextInt(20), random.nextInt(20), random.nextInt(20), flip() ? "" : "-rc.1");
    }

    private String expression() {
        return flip() ? "device.driver == \"gpu.example.com\" && true" : "a ||\n  b\n" + (flip() ? "c" : "d: #\n");
    }

    private String text() {
        String text = trees.text();
        return text.length() <= 8 ? text : text.substring(0, 7);
    }

    private Instant instant() {
        return Instant.ofEpochSecond(1_700_000_000L + random.nextInt(100_000_000));
    }

    private boolean flip() {
        return random.nextBoolean();
    }

    private <T> Optional<T> maybe(Supplier<T> value) {
        return flip() ? Optional.of(value.get()) : Optional.empty();
    }

    private <T> List<T> list(int sizeMax, IntFunction<T> each) {
        List<T> list = new ArrayList<>();
        int size = random.nextInt(sizeMax + 1);
        for (int i = 0; i < size; i++) {
            list.add(each.apply(i));
        }
        return list;
    }

    private <T> List<T> some(IntFunction<T> each) {
        List<T> list = new ArrayList<>(list(2, each));
        list.add(each.apply(list.size()));
        return list;
    }
}
