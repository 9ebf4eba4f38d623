package dev.claimstream.allocation.solver;

import dev.claimstream.allocation.inventory.DeviceCandidate;
import dev.claimstream.allocation.inventory.DeviceInventory;
import dev.claimstream.allocation.inventory.NodeDeviceView;
import dev.claimstream.allocation.solver.DeviceCheck.DeviceRequirement;
import dev.claimstream.dra.Device;
import dev.claimstream.dra.DeviceCapacity;
import dev.claimstream.dra.DeviceId;
import dev.claimstream.dra.NodeScope;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.PoolId;
import dev.claimstream.dra.ResourceSlice;
import dev.claimstream.dra.Selector;
import dev.claimstream.dra.Toleration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;

/** Finds, for each device of the newest generations and each option, the first requirement that fails. */
final class DeviceExamination {
    private final AllocationProblem problem;
    private final List<UnallocatedClaim> claims;
    private final DeviceInventory inventory;
    private final Function<NodeDeviceView, Optional<String>> exclusion;
    private final Map<NodeDeviceView, NodeEquivalenceClass> classes = new LinkedHashMap<>();
    private final SortedMap<DeviceId, List<NodeDevice>> placements = new TreeMap<>();

    /** @param exclusion why the item may not use a node, apart from the rules of its pod */
    DeviceExamination(
            AllocationProblem problem,
            List<UnallocatedClaim> claims,
            NodeClassIndex index,
            DeviceInventory inventory,
            Function<NodeDeviceView, Optional<String>> exclusion) {
        this.problem = problem;
        this.claims = claims;
        this.inventory = inventory;
        this.exclusion = exclusion;
        index.classes().forEach(each -> each.nodes.forEach(node -> classes.put(node, each)));
        inventory.views().forEach(this::addPlacements);
    }

    private record NodeDevice(NodeDeviceView node, DeviceCandidate candidate, int position) {}

    private void addPlacements(NodeDeviceView node) {
        for (int i = 0; i < node.candidates().size(); i++) {
            DeviceCandidate candidate = node.candidates().get(i);
            placements
                    .computeIfAbsent(candidate.usage().device(), _ -> new ArrayList<>())
                    .add(new NodeDevice(node, candidate, i));
        }
    }

    /** The checks of all options, each by driver, pool and name of the device. */
    List<DeviceCheck> all() {
        List<DeviceCheck> checks = new ArrayList<>();
        for (RequestOption option : problem.options()) {
            inventory.slices().pools().forEach((pool, slices) -> addPool(option, pool, slices.values(), checks));
        }
        return checks;
    }

    private void addPool(
            RequestOption option, PoolId pool, Collection<ResourceSlice> slices, List<DeviceCheck> checks) {
        long newest = slices.stream().mapToLong(ResourceSlice::generation).max().orElse(0);
        SortedMap<DeviceId, DeviceCheck> ordered = new TreeMap<>();
        for (ResourceSlice slice : slices) {
            if (slice.generation() == newest) {
                slice.devices().forEach(device -> {
                    var id = new DeviceId(pool.driver(), pool.pool(), device.name());
                    ordered.put(id, check(option, slice, device, id));
                });
            }
        }
        checks.addAll(ordered.values());
    }

    private DeviceCheck check(RequestOption option, ResourceSlice slice, Device published, DeviceId id) {
        Device device = inventory.applyTaintRules(slice, published);
        String node = slice.scope() instanceof NodeScope.SingleNode(String name) ? name : "";
        var check = new CheckBuilder(id, claims.get(option.claim()).claim(), option.resultName(), node);
        return failedSelector(option, slice.driver(), device, check)
                .or(() -> failedCapacity(option, device, check))
                .orElseGet(() -> placed(option, slice, device, check));
    }

    private Optional<DeviceCheck> failedSelector(
            RequestOption option, String driver, Device device, CheckBuilder check) {
        int passed = option.passedFilters(driver, device);
        if (passed == option.filters().size()) {
            return Optional.empty();
        }
        int ofClass = option.deviceClass().selectors().size();
        boolean isClass = passed < ofClass;
        String expression = isClass
                ? option.deviceClass().selectors().get(passed)
                : option.spec().selectors().get(passed - ofClass);
        String found = option.filters().get(passed).test(driver, device)
                        instanceof Selector.Match.SelectorError(String message)
                ? message
                : "";
        return Optional.of(
                isClass
                        ? check.failed(
                                DeviceRequirement.CLASS,
                                "%s: %s".formatted(option.deviceClass().meta().name(), expression),
                                found)
                        : check.failed(DeviceRequirement.SELECTOR, expression, found));
    }

    private Optional<DeviceCheck> failedCapacity(RequestOption option, Device device, CheckBuilder check) {
        if (option.spec().capacity().isEmpty()) {
            return Optional.empty();
        }
        return switch (problem.consumption(option, device)) {
            case CapacityConsumption.CapacityAmounts _ -> Optional.empty();
            case CapacityConsumption.UnrepresentableAmount(String message) ->
                Optional.of(check.failed(DeviceRequirement.CAPACITY, CapacityAnalysis.amounts(option), message));
            case CapacityConsumption.UnsatisfiableCapacity unfit ->
                Optional.of(check.failed(
                        DeviceRequirement.CAPACITY,
                        "%s %s".formatted(unfit.capacity(), requested(option, unfit)),
                        switch (unfit.violation()) {
                            case ABSENT -> "no capacity " + unfit.capacity();
                            case FORBIDDEN -> "the request policy of the device excludes this amount";
                            case INSUFFICIENT -> "%s %s".formatted(unfit.capacity(), available(device, unfit));
                        }));
        };
    }

    private static String available(Device device, CapacityConsumption.UnsatisfiableCapacity unfit) {
        return Optional.ofNullable(device.capacity().get(unfit.capacity()))
                .map(DeviceCapacity::value)
                .map(Object::toString)
                .orElse("");
    }

    private static String requested(RequestOption option, CapacityConsumption.UnsatisfiableCapacity unfit) {
        return Optional.ofNullable(option.spec().capacity().get(unfit.capacity()))
                .or(unfit::amount)
                .map(Object::toString)
                .orElse("");
    }

    private DeviceCheck placed(RequestOption option, ResourceSlice slice, Device device, CheckBuilder check) {
        List<DeviceCheck> perNode = placements.getOrDefault(check.device, List.of()).stream()
                .map(nodeDevice -> onNode(option, device, nodeDevice, check.on(nodeDevice.node.name())))
                .toList();
        return perNode.stream()
                .max(Comparator.comparing(DeviceCheck::requirement))
                .orElseGet(() -> unplaced(slice, check));
    }

    /** No node has the device as a candidate. */
    private DeviceCheck unplaced(ResourceSlice slice, CheckBuilder check) {
        PoolId pool = slice.poolId();
        if (inventory.slices().published(pool).isEmpty()) {
            return check.failed(
                    DeviceRequirement.POOL,
                    "all slices of pool " + pool.pool(),
                    "generation %d is incomplete".formatted(slice.generation()));
        }
        if (inventory.views().stream()
                .anyMatch(view -> view.isUsable() && view.invalidPools().contains(pool))) {
            return check.failed(
                    DeviceRequirement.POOL,
                    "consistent slices of pool " + pool.pool(),
                    "the slices contradict each other");
        }
        String found = check.node.isEmpty()
                ? "no usable node has the device"
                : Optional.ofNullable(inventory.nodes().get(check.node))
                        .map(known -> known.ready() ? "silent" : "not ready")
                        .orElse("the node does not exist");
        return check.failed(DeviceRequirement.NODE, "a usable node", found);
    }

    private DeviceCheck onNode(RequestOption option, Device device, NodeDevice nodeDevice, CheckBuilder check) {
        Optional<String> obstacle = nodeObstacle(nodeDevice);
        if (obstacle.isPresent()) {
            return check.failed(DeviceRequirement.NODE, "a node that the item may use", obstacle.get());
        }
        return switch (option.eligibility(problem, nodeDevice.candidate)) {
            case NO ->
                nodeDevice.candidate.isReachable()
                        ? check.failed(DeviceRequirement.FEATURE, "DRADeviceBindingConditions", "disabled")
                        : check.failed(DeviceRequirement.NODE, "a node that the device selects", "another node");
            case FAILED ->
                check.failed(DeviceRequirement.CAPACITY, "amounts of 64 bits", "an amount that is too large");
            case FEATURE_DISABLED ->
                check.failed(DeviceRequirement.FEATURE, "the feature gate that the device needs", "disabled");
            case TAINTED ->
                check.failed(
                        DeviceRequirement.TAINT,
                        "a toleration",
                        Toleration.firstUntolerated(
                                        nodeDevice.candidate.device().taints(),
                                        option.spec().tolerations())
                                .map(Object::toString)
                                .orElse(""));
            case YES -> usage(option, device, nodeDevice, check);
        };
    }

    private Optional<String> nodeObstacle(NodeDevice nodeDevice) {
        NodeRules rules = problem.shape().rules();
        return rules.obstacle(nodeDevice.node.node())
                .map(NodeRules.NodeObstacle::text)
                .or(() -> exclusion.apply(nodeDevice.node))
                .or(() -> nodeDevice.node.hasCapacityFor(rules.requests())
                        ? Optional.empty()
                        : Optional.of("too little "
                                + String.join(", ", nodeDevice.node.insufficientResources(rules.requests()))));
    }

    private DeviceCheck usage(RequestOption option, Device device, NodeDevice nodeDevice, CheckBuilder check) {
        NodeEquivalenceClass nodeClass = classes.get(nodeDevice.node);
        if (nodeClass == null || isAllocatable(nodeClass, option, nodeDevice.position)) {
            return check.failed(DeviceRequirement.NONE, "", "");
        }
        List<AllocationPlan.DeviceHolder> holders = nodeDevice.candidate.usage().entries().stream()
                .map(entry -> new AllocationPlan.DeviceHolder(
                        entry.claim(), inventory.usages().stateOf(entry)))
                .toList();
        if (holders.isEmpty()) {
            return check.failed(DeviceRequirement.FREE, "free shared counters", "other devices of the pool use them");
        }
        return check.failed(
                DeviceRequirement.FREE,
                problem.isShareable(device) ? "enough remaining capacity" : "a free device",
                "held",
                holders);
    }

    private static boolean isAllocatable(NodeEquivalenceClass nodeClass, RequestOption option, int position) {
        for (int i = 0; i < nodeClass.layout.size; i++) {
            if (nodeClass.layout.positions[i] == position) {
                return nodeClass.state.isAllocatable(nodeClass.layout, option, i);
            }
        }
        return true;
    }

    /** The parts of a check that do not depend on the requirement. */
    private record CheckBuilder(DeviceId device, ObjectKey claim, String request, String node) {
        CheckBuilder on(String other) {
            return new CheckBuilder(device, claim, request, other);
        }

        DeviceCheck failed(DeviceRequirement requirement, String required, String found) {
            return failed(requirement, required, found, List.of());
        }

        DeviceCheck failed(
                DeviceRequirement requirement,
                String required,
                String found,
                List<AllocationPlan.DeviceHolder> holders) {
            return new DeviceCheck(device, node, claim, request, requirement, required, found, holders);
        }
    }
}
