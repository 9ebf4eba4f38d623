package dev.claimstream.scenarios;

import dev.claimstream.allocation.solver.AllocationPlan;
import dev.claimstream.allocation.solver.AllocationPlanner;
import dev.claimstream.allocation.solver.NodeRules;
import dev.claimstream.allocation.solver.PlacementPolicy;
import dev.claimstream.dra.Allocation;
import dev.claimstream.dra.ClusterObject;
import dev.claimstream.dra.ContainerResource;
import dev.claimstream.dra.DeviceClass;
import dev.claimstream.dra.ExtendedResources;
import dev.claimstream.dra.Feature;
import dev.claimstream.dra.FeatureGates;
import dev.claimstream.dra.Node;
import dev.claimstream.dra.NodeSelector;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.Pod;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.dra.ResourceList;
import dev.claimstream.dra.Selectors;
import dev.claimstream.scenarios.SchedulerClaim.ExtendedResource;
import dev.claimstream.scenarios.SchedulerClaim.Placement;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The claims that kube-scheduler creates, and whether each could be allocated in a static cluster.
 *
 * <p>Each pod is considered alone: devices of one claim remain free for the next. Not thread-safe.
 */
public final class SchedulerClaims {
    private final List<ClusterObject> objects;
    private final FeatureGates features;
    private final Selectors selectors;
    private final long stepsMax;
    private final List<Node> nodes;
    private final ExtendedResources resources;
    private Optional<ScenarioSolver> solver = Optional.empty();

    /**
     * Creates the claims of a cluster.
     *
     * @param objects complete with namespaces and uids; claims have their effective allocations
     * @param stepsMax search budget per node, in counted steps
     */
    public SchedulerClaims(List<ClusterObject> objects, FeatureGates features, Selectors selectors, long stepsMax) {
        this.objects = List.copyOf(objects);
        this.features = features;
        this.selectors = selectors;
        this.stepsMax = stepsMax;
        this.nodes = of(Node.class);
        this.resources = new ExtendedResources(of(DeviceClass.class));
    }

    private <T extends ClusterObject> List<T> of(Class<T> type) {
        return objects.stream().filter(type::isInstance).map(type::cast).toList();
    }

    /** Returns the claim of each pod that will get one, in the order of the objects. */
    public List<SchedulerClaim> all() {
        return of(Pod.class).stream().map(this::of).flatMap(Optional::stream).toList();
    }

    /** Returns the claim of a pod; absent if no class offers its extended resources or the pod is bound. */
    public Optional<SchedulerClaim> of(Pod pod) {
        List<ExtendedResource> offered = offered(pod);
        return offered.isEmpty() || !isExpected(pod) || isServedByPluginsOnly(pod)
                ? Optional.empty()
                : Optional.of(new SchedulerClaim(pod.key(), ExtendedResources.claimKey(pod), offered, placement(pod)));
    }

    private boolean isExpected(Pod pod) {
        return features.has(Feature.EXTENDED_RESOURCE)
                && !pod.finished()
                && pod.nodeName().isEmpty();
    }

    private List<ExtendedResource> offered(Pod pod) {
        return pod.containerResources().stream()
                .map(ContainerResource::resource)
                .distinct()
                .sorted()
                .flatMap(name ->
                        resources
                                .deviceClass(name)
                                .map(each ->
                                        new ExtendedResource(name, each.meta().name()))
                                .stream())
                .toList();
    }

    private boolean isServedByPluginsOnly(Pod pod) {
        return !nodes.isEmpty()
                && nodes.stream().allMatch(node -> resources.claim(pod, node).isEmpty());
    }

    // ---- placement
    // ------------------------------------------------------------------------------------------------------

    private Placement placement(Pod pod) {
        List<NodeSelector> fixed = new ArrayList<>();
        for (ObjectKey key : pod.claims()) {
            Optional<Allocation> allocation = solver().claim(key).flatMap(ResourceClaim::allocation);
            if (allocation.isEmpty()) {
                return new Placement.NoFittingNode("claim %s of the pod is not allocated".formatted(key));
            }
            allocation.flatMap(Allocation::nodeSelector).ifPresent(fixed::add);
        }
        NodeRules rules = NodeRules.of(pod, ResourceList.none()).with(fixed);
        List<Node> admitted = nodes.stream().filter(rules::admits).toList();
        return admitted.isEmpty()
                ? new Placement.NoFittingNode("there is no node that the pod may go to")
                : bestPlacement(admitted, pod);
    }

    private Placement bestPlacement(List<Node> admitted, Pod pod) {
        Map<SchedulerPodView, Set<String>> groups = new LinkedHashMap<>();
        for (Node node : admitted) {
            SchedulerPodView podView = SchedulerPodView.of(pod, node, resources);
            groups.computeIfAbsent(podView, _ -> new HashSet<>())
                    .add(node.meta().name());
        }
        Optional<Placement> second = Optional.empty();
        for (var group : groups.entrySet()) {
            Placement placement = groupPlacement(group.getKey(), group.getValue());
            if (placement instanceof Placement.FittingNodes) {
                return placement;
            }
            second = second.filter(Placement.DevicePluginNode.class::isInstance).or(() -> Optional.of(placement));
        }
        return second.orElseThrow();
    }

    /** Returns the placement on nodes that treat the pod alike. */
    private Placement groupPlacement(SchedulerPodView podView, Set<String> names) {
        if (!podView.unofferedResources().isEmpty()) {
            return new Placement.NoFittingNode("neither a class nor a device plugin offers %s"
                    .formatted(String.join(", ", podView.unofferedResources())));
        }
        if (podView.extendedResourceClaim().isEmpty()) {
            return new Placement.DevicePluginNode(
                    names.stream().sorted().findFirst().orElseThrow());
        }
        return solver().plan(
                        podView,
                        List.of(),
                        new AllocationPlanner.PlanOptions(
                                PlacementPolicy.BEST_FIT, stepsMax, view -> names.contains(view.name())),
                        SchedulerClaims::placement,
                        Placement.NoFittingNode::new);
    }

    private static Placement placement(AllocationPlan plan) {
        return switch (plan) {
            case AllocationPlan.Allocated placed ->
                new Placement.FittingNodes(placed.node(), placed.choice().feasibleNodes());
            case AllocationPlan.Pending unplaced ->
                new Placement.NoFittingNode(unplaced.diagnosis().message());
        };
    }

    private ScenarioSolver solver() {
        ScenarioSolver created = solver.orElseGet(() -> new ScenarioSolver(objects, features, selectors));
        solver = Optional.of(created);
        return created;
    }
}
