package dev.claimstream.scenarios;

import dev.claimstream.allocation.inventory.DeviceInventory;
import dev.claimstream.allocation.solver.AllocationPlan;
import dev.claimstream.allocation.solver.AllocationPlanner;
import dev.claimstream.allocation.solver.ItemShape;
import dev.claimstream.allocation.solver.NodeRules;
import dev.claimstream.allocation.solver.PlacementPolicy;
import dev.claimstream.allocation.solver.PodDemand;
import dev.claimstream.dra.Allocation;
import dev.claimstream.dra.ClaimConsumer;
import dev.claimstream.dra.ClaimSpec;
import dev.claimstream.dra.ClusterObject;
import dev.claimstream.dra.DeviceClass;
import dev.claimstream.dra.DeviceTaintRule;
import dev.claimstream.dra.Feature;
import dev.claimstream.dra.FeatureGates;
import dev.claimstream.dra.Namespace;
import dev.claimstream.dra.Node;
import dev.claimstream.dra.NodeSelector;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.Pod;
import dev.claimstream.dra.PodClaim;
import dev.claimstream.dra.PodGroup;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.dra.ResourceClaimTemplate;
import dev.claimstream.dra.ResourceList;
import dev.claimstream.dra.ResourceSlice;
import dev.claimstream.dra.Selectors;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;

/** Solves claims in a static cluster, without changes to its state. Not thread-safe. */
final class ScenarioSolver {
    private final DeviceInventory inventory = new DeviceInventory();
    private final SortedMap<ObjectKey, ResourceClaim> claims = new TreeMap<>();
    private final AllocationPlanner planner;
    private final PodNodeUsage pods;
    private final boolean hasNodeAllocatable;
    private final boolean hasGroupClaims;

    /**
     * Creates a cluster.
     *
     * @param objects complete with namespaces and uids
     */
    ScenarioSolver(List<ClusterObject> objects, FeatureGates features, Selectors selectors) {
        SortedMap<String, DeviceClass> classes = new TreeMap<>();
        inventory.setFeatures(features);
        objects.forEach(each -> load(each, classes));
        planner = new AllocationPlanner(inventory, selectors);
        planner.setFeatures(features);
        planner.setClasses(classes);
        hasNodeAllocatable = features.has(Feature.NODE_ALLOCATABLE_RESOURCES);
        hasGroupClaims = features.has(Feature.WORKLOAD_RESOURCE_CLAIMS);
        pods = new PodNodeUsage(inventory, claims, hasNodeAllocatable);
        objects.stream().filter(Pod.class::isInstance).map(Pod.class::cast).forEach(pods::add);
    }

    private void load(ClusterObject object, Map<String, DeviceClass> classes) {
        switch (object) {
            case ResourceSlice slice -> inventory.put(slice);
            case Node node -> inventory.put(node);
            case DeviceTaintRule rule -> inventory.put(rule);
            case DeviceClass each -> classes.put(each.meta().name(), each);
            case ResourceClaim claim -> {
                claims.put(claim.key(), claim);
                claim.allocation().ifPresent(allocation -> countAllocation(claim, allocation));
            }
            case Pod _, PodGroup _, ResourceClaimTemplate _, Namespace _ -> {}
        }
    }

    /** Marks the devices of an allocation as allocated; admin access does not allocate devices. */
    private void countAllocation(ResourceClaim claim, Allocation allocation) {
        allocation.results().stream()
                .filter(result -> !result.adminAccess())
                .forEach(result -> inventory.addUsage(result, claim.meta().uid(), claim.key()));
    }

    Optional<ResourceClaim> claim(ObjectKey key) {
        return Optional.ofNullable(claims.get(key));
    }

    /** Returns whether there is a node with a name. */
    boolean hasNode(String name) {
        return inventory.nodes().containsKey(name);
    }

    /**
     * Solves claims together, on a node or on the best node.
     *
     * @param node must exist
     * @param claims must exist, without allocations
     */
    ScenarioDecision solve(Optional<String> node, List<ObjectKey> claims, PlacementPolicy policy, long stepsMax) {
        return toDecision(plan(node, claims, policy, stepsMax), claims);
    }

    /** Returns the plan of {@link #solve(Optional, List, PlacementPolicy, long)}. */
    AllocationPlan plan(Optional<String> node, List<ObjectKey> claims, PlacementPolicy policy, long stepsMax) {
        var rules = new NodeRules(
                node, new TreeMap<>(), Optional.empty(), Optional.empty(), List.of(), ResourceList.none());
        List<ClaimSpec> specs = claims.stream().map(this::spec).toList();
        return planner.plan(
                new ItemShape(specs, rules), new AllocationPlanner.PlanOptions(policy, stepsMax, _ -> true));
    }

    /**
     * Solves the pending claims of a pod, on a node or on the best node that the pod may use.
     *
     * @param node must exist
     */
    ScenarioDecision solve(Optional<String> node, SchedulerPodView pod, PlacementPolicy policy, long stepsMax) {
        return plan(
                pod,
                node.map(NodeSelector::ofNode).stream().toList(),
                new AllocationPlanner.PlanOptions(policy, stepsMax, _ -> true),
                plan -> toDecision(plan, pendingClaims(pod)),
                ScenarioDecision.Pending::new);
    }

    private ScenarioDecision toDecision(AllocationPlan plan, List<ObjectKey> claims) {
        return switch (plan) {
            case AllocationPlan.Allocated placed -> new ScenarioDecision.Allocated(placed.node(), placed.allocations());
            case AllocationPlan.Pending unplaced -> toUnplacedDecision(unplaced.diagnosis(), claims);
        };
    }

    /**
     * Plans the pending claims of a pod. The state is unchanged afterwards.
     *
     * @param among selectors that must all match a node
     * @param answer called with the plan while the pod's own resource usage is not counted
     * @param unready called with the reason if there is nothing to plan
     */
    <T> T plan(
            SchedulerPodView pod,
            List<NodeSelector> among,
            AllocationPlanner.PlanOptions terms,
            Function<AllocationPlan, T> answer,
            Function<String, T> unready) {
        return switch (planningInput(pod, among)) {
            case PlanningInput.Ready(ItemShape shape) ->
                pods.whileReleased(pod.pod(), () -> answer.apply(planner.plan(shape, terms)));
            case PlanningInput.NotReady(String message) -> unready.apply(message);
        };
    }

    /** The input of the planner for a pod, or the reason why there is none. */
    private sealed interface PlanningInput {
        record Ready(ItemShape shape) implements PlanningInput {}

        record NotReady(String message) implements PlanningInput {}
    }

    private PlanningInput planningInput(SchedulerPodView podView, List<NodeSelector> among) {
        Pod pod = podView.pod();
        Optional<String> unready = notReadyReason(pod);
        if (unready.isPresent()) {
            return new PlanningInput.NotReady(unready.get());
        }
        List<NodeSelector> fixed = new ArrayList<>(among);
        List<ObjectKey> allocatedClaims = new ArrayList<>();
        for (ObjectKey key : podView.claims()) {
            claim(key).flatMap(ResourceClaim::allocation).ifPresent(allocation -> {
                allocatedClaims.add(key);
                allocation.nodeSelector().ifPresent(fixed::add);
            });
        }
        List<ObjectKey> open = pendingClaims(podView);
        List<ClaimSpec> specs = open.stream().map(key -> spec(podView, key)).toList();
        boolean isBound = pod.nodeName().isPresent();
        NodeRules rules = NodeRules.of(pod, isBound ? ResourceList.none() : podView.requests())
                .with(fixed);
        if (isBound || !hasNodeAllocatable) {
            return new PlanningInput.Ready(new ItemShape(specs, rules));
        }
        return switch (new PodDemand(pod, pods).existing(open, allocatedClaims)) {
            case PodDemand.ExistingDemand.AccountableDemand(var allocated, var accounting) ->
                new PlanningInput.Ready(new ItemShape(specs, rules.plus(allocated), Optional.of(accounting)));
            case PodDemand.ExistingDemand.UnaccountableDemand(String message) -> new PlanningInput.NotReady(message);
        };
    }

    /** Returns the reason that prevents a pod from using its claims, independent of free devices. */
    private Optional<String> notReadyReason(Pod pod) {
        for (PodClaim entry : pod.resourceClaims()) {
            Optional<String> message =
                    pod.claim(entry).flatMap(this::claim).flatMap(claim -> notReadyReason(pod, entry, claim));
            if (message.isPresent()) {
                return message;
            }
        }
        return Optional.empty();
    }

    private Optional<String> notReadyReason(Pod pod, PodClaim entry, ResourceClaim claim) {
        Optional<String> group = pod.podGroup().filter(_ -> hasGroupClaims);
        if (claim.meta().deleting()) {
            return Optional.of("claim %s is being deleted".formatted(claim.key()));
        }
        if (!pod.mayUse(entry, claim, group)) {
            return Optional.of("claim %s was not created for pod %s".formatted(claim.key(), pod.key()));
        }
        boolean isFull = claim.reservedFor().size() >= ClaimConsumer.MAX
                && claim.reservedFor().stream().noneMatch(each -> pod.matchesConsumer(each, group));
        return isFull
                ? Optional.of(
                        "claim %s already has the maximum of %d consumers".formatted(claim.key(), ClaimConsumer.MAX))
                : Optional.empty();
    }

    private List<ObjectKey> pendingClaims(SchedulerPodView pod) {
        return pod.claims().stream()
                .filter(key -> claim(key).flatMap(ResourceClaim::allocation).isEmpty())
                .toList();
    }

    /** Returns the spec of a claim; the claim for extended resources may be missing from the objects. */
    private ClaimSpec spec(SchedulerPodView pod, ObjectKey key) {
        return pod.extendedResourceClaim()
                .filter(generated -> generated.key().equals(key))
                .map(ResourceClaim::spec)
                .orElseGet(() -> spec(key));
    }

    private ClaimSpec spec(ObjectKey key) {
        return claim(key)
                .map(ResourceClaim::spec)
                .orElseThrow(() -> new IllegalArgumentException("there is no claim " + key));
    }

    // ---- why not
    // --------------------------------------------------------------------------------------------------------------

    private ScenarioDecision toUnplacedDecision(AllocationPlan.PendingDiagnosis diagnosis, List<ObjectKey> claims) {
        return switch (diagnosis.reason()) {
            case SearchBudgetExhausted -> new ScenarioDecision.BudgetExhausted(diagnosis.message());
            case SelectorError, Unsupported, ClassMissing, LimitExceeded ->
                new ScenarioDecision.Failed(wordings(diagnosis.message(), claims));
            case PoolIncomplete, PoolInvalid, ConstraintUnsatisfied ->
                isError(diagnosis.message())
                        ? new ScenarioDecision.Failed(wordings(diagnosis.message(), claims))
                        : new ScenarioDecision.Pending(diagnosis.message());
            default -> new ScenarioDecision.Pending(diagnosis.message());
        };
    }

    /**
     * Returns whether upstream reports an error for this message. For requests for all devices it does, with the same reasons as for an
     * unsuccessful search.
     */
    private static boolean isError(String message) {
        return message.contains("asks for all devices")
                || message.contains("invalid resource pools were encountered")
                || message.contains("would not be satisfied");
    }

    private List<String> wordings(String message, List<ObjectKey> claims) {
        SortedMap<ObjectKey, ClaimSpec> specs = new TreeMap<>();
        claims.forEach(key -> specs.put(key, spec(key)));
        return UpstreamMessages.of(message, specs);
    }
}
