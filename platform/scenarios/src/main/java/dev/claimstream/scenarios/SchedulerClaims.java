package dev.claimstream.scenarios;

import dev.claimstream.allocation.solver.NodeRules;
import dev.claimstream.allocation.solver.Plan;
import dev.claimstream.allocation.solver.Planner;
import dev.claimstream.allocation.solver.Policy;
import dev.claimstream.dra.Allocation;
import dev.claimstream.dra.ClusterObject;
import dev.claimstream.dra.ContainerResource;
import dev.claimstream.dra.DeviceClass;
import dev.claimstream.dra.ExtendedResources;
import dev.claimstream.dra.Feature;
import dev.claimstream.dra.Features;
import dev.claimstream.dra.Node;
import dev.claimstream.dra.NodeSelector;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.Pod;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.dra.ResourceList;
import dev.claimstream.dra.Selectors;
import dev.claimstream.scenarios.SchedulerClaim.Place;
import dev.claimstream.scenarios.SchedulerClaim.Resource;
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
    private final Features features;
    private final Selectors selectors;
    private final long stepsMax;
    private final List<Node> nodes;
    private final ExtendedResources resources;
    private Optional<Decider> decider = Optional.empty();

    /**
     * Creates the claims of a cluster.
     *
     * @param objects complete with namespaces and uids; claims have their effective allocations
     * @param stepsMax search budget per node, in counted steps
     */
    public SchedulerClaims(List<ClusterObject> objects, Features features, Selectors selectors, long stepsMax) {
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
        List<Resource> offered = offered(pod);
        return offered.isEmpty() || !isToCome(pod) || arePluginsEverywhere(pod)
                ? Optional.empty()
                : Optional.of(new SchedulerClaim(pod.key(), ExtendedResources.claimKey(pod), offered, place(pod)));
    }

    private boolean isToCome(Pod pod) {
        return features.has(Feature.EXTENDED_RESOURCE)
                && !pod.finished()
                && pod.nodeName().isEmpty();
    }

    private List<Resource> offered(Pod pod) {
        return pod.containerResources().stream()
                .map(ContainerResource::resource)
                .distinct()
                .sorted()
                .flatMap(name ->
                        resources
                                .deviceClass(name)
                                .map(each -> new Resource(name, each.meta().name()))
                                .stream())
                .toList();
    }

    private boolean arePluginsEverywhere(Pod pod) {
        return !nodes.isEmpty()
                && nodes.stream().allMatch(node -> resources.claim(pod, node).isEmpty());
    }

    // ---- placement
    // ------------------------------------------------------------------------------------------------------

    private Place place(Pod pod) {
        List<NodeSelector> fixed = new ArrayList<>();
        for (ObjectKey key : pod.claims()) {
            Optional<Allocation> has = decider().claim(key).flatMap(ResourceClaim::allocation);
            if (has.isEmpty()) {
                return new Place.Nowhere("claim %s of the pod has no devices yet".formatted(key));
            }
            has.flatMap(Allocation::nodeSelector).ifPresent(fixed::add);
        }
        NodeRules rules = NodeRules.of(pod, ResourceList.none()).with(fixed);
        List<Node> admitted = nodes.stream().filter(rules::admits).toList();
        return admitted.isEmpty() ? new Place.Nowhere("there is no node that the pod may go to") : among(admitted, pod);
    }

    private Place among(List<Node> admitted, Pod pod) {
        Map<WantedPod, Set<String>> groups = new LinkedHashMap<>();
        for (Node node : admitted) {
            WantedPod wanted = WantedPod.on(pod, node, resources);
            groups.computeIfAbsent(wanted, _ -> new HashSet<>()).add(node.meta().name());
        }
        Optional<Place> second = Optional.empty();
        for (var group : groups.entrySet()) {
            Place place = onSome(group.getKey(), group.getValue());
            if (place instanceof Place.Fits) {
                return place;
            }
            second = second.filter(Place.Plugin.class::isInstance).or(() -> Optional.of(place));
        }
        return second.orElseThrow();
    }

    /** Returns the placement on nodes that treat the pod alike. */
    private Place onSome(WantedPod wanted, Set<String> names) {
        if (!wanted.unserved().isEmpty()) {
            return new Place.Nowhere(
                    "neither a class nor a device plugin offers %s".formatted(String.join(", ", wanted.unserved())));
        }
        if (wanted.made().isEmpty()) {
            return new Place.Plugin(names.stream().sorted().findFirst().orElseThrow());
        }
        return decider()
                .ask(
                        wanted,
                        List.of(),
                        new Planner.Terms(Policy.BEST_FIT, stepsMax, view -> names.contains(view.name())),
                        SchedulerClaims::place,
                        Place.Nowhere::new);
    }

    private static Place place(Plan plan) {
        return switch (plan) {
            case Plan.Placed placed ->
                new Place.Fits(placed.node(), placed.choice().fitting());
            case Plan.Unplaced unplaced ->
                new Place.Nowhere(unplaced.diagnosis().message());
        };
    }

    private Decider decider() {
        Decider made = decider.orElseGet(() -> new Decider(objects, features, selectors));
        decider = Optional.of(made);
        return made;
    }
}
