package dev.claimstream.allocation.cell;

import dev.claimstream.dra.HostPort;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.Namespace;
import dev.claimstream.dra.Node;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.ObjectMeta;
import dev.claimstream.dra.Pod;
import dev.claimstream.dra.PodAffinityTerm;
import dev.claimstream.dra.PodTopology;
import dev.claimstream.dra.TopologySpreadConstraint;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Indexes pods by node for inter-pod affinity, anti-affinity, topology spread and host ports.
 *
 * <p>Counts bound pods, and pods whose claims are allocated on a node. Derived from rows alone. Counts are kept per
 * selection, so a decision never scans all pods.
 */
final class PodAffinityIndex {
    /** Maximum number of cached {@link SpreadDomains}. The cache is cleared when it is full. */
    private static final int DOMAINS_MAX = 64;

    private final State state;
    private final Map<ObjectKey, PodLocation> locations = new LinkedHashMap<>();
    private final Map<ObjectKey, List<PodSelection>> selectionsOfPod = new LinkedHashMap<>();
    private final Map<PodSelection, NodeCounts> podCounts = new LinkedHashMap<>();
    private final Map<AntiAffinityTerm, NodeCounts> antiAffinityCounts = new LinkedHashMap<>();
    private final Map<String, List<HostPort>> ports = new LinkedHashMap<>();
    private final Map<SpreadDomains.DomainQuery, SpreadDomains> domains = new LinkedHashMap<>();
    private long changes;

    PodAffinityIndex(State state) {
        this.state = state;
    }

    /**
     * A pod with a node.
     *
     * @param isBound whether it is bound; otherwise only its claims are allocated there
     */
    private record PodLocation(
            String node, ObjectMeta meta, boolean isBound, List<PodAffinityTerm> antiAffinity, List<HostPort> ports) {}

    /**
     * A selection of pods by terms of some other pod.
     *
     * @param namespace namespace of the pod with the terms
     * @param terms all must match
     * @param excludesTerminating whether pods that are being deleted do not count
     * @param isBoundOnly whether unbound pods do not count
     */
    private record PodSelection(
            String namespace, List<PodAffinityTerm> terms, boolean excludesTerminating, boolean isBoundOnly) {
        PodSelection bound() {
            return new PodSelection(namespace, terms, excludesTerminating, true);
        }
    }

    /** An anti-affinity term of existing pods; {@code namespace} is their namespace. */
    private record AntiAffinityTerm(String namespace, PodAffinityTerm term) {}

    /** Matching pods per node, and how many pods use this count. */
    private static final class NodeCounts {
        private final SortedMap<String, Integer> onNode = new TreeMap<>();
        private int references;

        void add(String node, int more) {
            onNode.merge(node, more, Integer::sum);
            onNode.remove(node, 0);
        }
    }

    // ---- updates
    // -------------------------------------------------------------------------------------------------------

    /**
     * Updates a pod after a change of the pod or its node.
     *
     * @param node absent if the pod has no node
     */
    void update(ObjectKey key, Optional<String> node) {
        Optional<Pod> pod = state.pod(key);
        Optional<PodLocation> now = pod.flatMap(each -> node.map(name -> locations(name, each)));
        PodLocation before = now.isPresent() ? locations.put(key, now.get()) : locations.remove(key);
        if (!now.equals(Optional.ofNullable(before))) {
            Optional.ofNullable(before).ifPresent(each -> count(each, -1));
            now.ifPresent(each -> count(each, 1));
        }
        trackSelections(key);
    }

    private static PodLocation locations(String node, Pod pod) {
        return new PodLocation(
                node,
                pod.meta(),
                pod.nodeName().isPresent(),
                pod.topology().antiAffinity(),
                pod.topology().hostPorts());
    }

    private void count(PodLocation each, int more) {
        podCounts.forEach((selection, counts) -> {
            if (isCounted(selection, each)) {
                counts.add(each.node, more);
                changes++;
            }
        });
        for (PodAffinityTerm term : each.antiAffinity) {
            var antiAffinityTerm = new AntiAffinityTerm(each.meta.namespace(), term);
            NodeCounts counts = antiAffinityCounts.computeIfAbsent(antiAffinityTerm, _ -> new NodeCounts());
            counts.add(each.node, more);
            if (counts.onNode.isEmpty()) {
                antiAffinityCounts.remove(antiAffinityTerm);
            }
            changes++;
        }
        for (HostPort port : each.ports) {
            List<HostPort> used = ports.computeIfAbsent(each.node, _ -> new ArrayList<>());
            if (more > 0) {
                used.add(port);
            } else {
                used.remove(port);
            }
            changes++;
        }
    }

    /** Keeps a count while any pod, with or without a node, has a term for it. */
    private void trackSelections(ObjectKey key) {
        List<PodSelection> now = state.pod(key)
                .filter(each -> !each.finished())
                .map(this::selections)
                .orElse(List.of());
        List<PodSelection> before = now.isEmpty() ? selectionsOfPod.remove(key) : selectionsOfPod.put(key, now);
        if (now.equals(before)) {
            return;
        }
        now.forEach(selection -> podCounts.computeIfAbsent(selection, this::countAll).references++);
        if (before != null) {
            before.forEach(selection ->
                    podCounts.computeIfPresent(selection, (_, counts) -> --counts.references == 0 ? null : counts));
        }
    }

    private NodeCounts countAll(PodSelection selection) {
        var counts = new NodeCounts();
        locations.values().stream()
                .filter(each -> isCounted(selection, each))
                .forEach(each -> counts.add(each.node, 1));
        return counts;
    }

    /** Recounts selections with a namespace selector after a change of namespace labels. */
    void namespaceChanged() {
        List.copyOf(selectionsOfPod.keySet()).forEach(this::trackSelections);
        podCounts.forEach((selection, counts) -> {
            if (selection.terms.stream()
                    .anyMatch(term -> term.namespaceSelector().isPresent())) {
                counts.onNode.clear();
                counts.onNode.putAll(countAll(selection).onNode);
                changes++;
            }
        });
        if (antiAffinityCounts.keySet().stream()
                .anyMatch(each -> each.term.namespaceSelector().isPresent())) {
            changes++;
        }
    }

    /** Clears cached domains after a change of a node, its labels or taints. */
    void nodeChanged() {
        domains.clear();
    }

    /** A counter that grows with every change that may allow a pod on another node. */
    long changes() {
        return changes;
    }

    // ---- queries
    // --------------------------------------------------------------------------------------------------

    /** The constraints of a pod. Valid only until the next change of the state. */
    InterPodConstraints constraintsFor(Pod pod) {
        PodTopology topology = pod.topology();
        List<InterPodConstraints.InterPodConstraint> bounds = new ArrayList<>();
        if (!topology.hostPorts().isEmpty()) {
            bounds.add(new InterPodConstraints.HostPorts(topology.hostPorts(), ports));
        }
        existingAntiAffinity(pod)
                .forEach((key, values) -> bounds.add(InterPodConstraints.AntiAffinity.ofExistingPods(key, values)));
        for (PodAffinityTerm term : topology.antiAffinity()) {
            bounds.add(InterPodConstraints.AntiAffinity.ofIncomingPod(
                    term.topologyKey(), values(term, countsOf(antiAffinitySelection(pod, term)))));
        }
        if (!topology.affinity().isEmpty()) {
            bounds.add(affinity(pod, topology.affinity()));
        }
        if (!topology.spread().isEmpty()) {
            bounds.add(topologySpread(pod, topology.spread()));
        }
        return new InterPodConstraints(bounds);
    }

    /** The topology values that existing pods forbid for this pod, by topology key. */
    private SortedMap<String, Set<String>> existingAntiAffinity(Pod pod) {
        var excluded = new TreeMap<String, Set<String>>();
        antiAffinityCounts.forEach((existing, counts) -> {
            if (existing.term.matches(existing.namespace, pod.meta(), this::namespaceLabels)) {
                excluded.computeIfAbsent(existing.term.topologyKey(), _ -> new TreeSet<>())
                        .addAll(values(existing.term, counts));
            }
        });
        return excluded;
    }

    private InterPodConstraints.Affinity affinity(Pod pod, List<PodAffinityTerm> terms) {
        PodSelection selection = affinitySelection(pod);
        NodeCounts counts = countsOf(selection);
        var domains = new LinkedHashMap<String, Set<String>>();
        for (PodAffinityTerm term : terms) {
            domains.put(term.topologyKey(), values(term, counts));
        }
        boolean isFirst = domains.values().stream().allMatch(Set::isEmpty) && matches(selection, pod.meta());
        return new InterPodConstraints.Affinity(domains, isFirst);
    }

    private InterPodConstraints.TopologySpread topologySpread(Pod pod, List<TopologySpreadConstraint> constraints) {
        SpreadDomains found = domainsFor(pod);
        List<InterPodConstraints.TopologySpread.Skew> skews = new ArrayList<>();
        for (int i = 0; i < constraints.size(); i++) {
            TopologySpreadConstraint constraint = constraints.get(i);
            PodSelection selection = spreadSelection(pod, constraint);
            skews.add(InterPodConstraints.TopologySpread.Skew.of(
                    constraint,
                    found.podsPerDomain(i, countsOf(selection).onNode),
                    found.podsPerDomain(i, countsOf(selection.bound()).onNode),
                    matches(selection, pod.meta())));
        }
        return new InterPodConstraints.TopologySpread(skews);
    }

    private SpreadDomains domainsFor(Pod pod) {
        if (domains.size() >= DOMAINS_MAX) {
            domains.clear();
        }
        return domains.computeIfAbsent(SpreadDomains.DomainQuery.of(pod), this::domains);
    }

    private SpreadDomains domains(SpreadDomains.DomainQuery query) {
        List<Node> nodes = state.rows(ObservedRow.ObjectRow.allOf(Kind.NODE)).stream()
                .flatMap(row -> row.content().stream())
                .map(Node.class::cast)
                .toList();
        return SpreadDomains.of(query, nodes);
    }

    /** The topology values of nodes with counted pods. */
    private Set<String> values(PodAffinityTerm term, NodeCounts counts) {
        var values = new TreeSet<String>();
        for (String node : counts.onNode.keySet()) {
            state.node(node)
                    .flatMap(each -> Optional.ofNullable(each.meta().labels().get(term.topologyKey())))
                    .ifPresent(values::add);
        }
        return values;
    }

    private NodeCounts countsOf(PodSelection selection) {
        return Optional.ofNullable(podCounts.get(selection)).orElseGet(() -> countAll(selection));
    }

    private List<PodSelection> selections(Pod pod) {
        PodTopology topology = pod.topology();
        if (topology.isUnconstrained()) {
            return List.of();
        }
        List<PodSelection> selections = new ArrayList<>();
        if (!topology.affinity().isEmpty()) {
            selections.add(affinitySelection(pod));
        }
        topology.antiAffinity().forEach(term -> selections.add(antiAffinitySelection(pod, term)));
        for (TopologySpreadConstraint constraint : topology.spread()) {
            selections.add(spreadSelection(pod, constraint));
            selections.add(spreadSelection(pod, constraint).bound());
        }
        return selections;
    }

    /**
     * The selection for the pod's affinity terms.
     *
     * <p>Pods that match each other's terms start together, so unbound pods count. Otherwise the pod waits for a bound
     * pod, because kube-scheduler would reject it before.
     */
    private PodSelection affinitySelection(Pod pod) {
        var all = new PodSelection(pod.meta().namespace(), pod.topology().affinity(), false, false);
        return matches(all, pod.meta()) ? all : all.bound();
    }

    private static PodSelection antiAffinitySelection(Pod pod, PodAffinityTerm term) {
        return new PodSelection(pod.meta().namespace(), List.of(term), false, false);
    }

    private static PodSelection spreadSelection(Pod pod, TopologySpreadConstraint constraint) {
        var term =
                new PodAffinityTerm(constraint.topologyKey(), constraint.selector(), new TreeSet<>(), Optional.empty());
        return new PodSelection(pod.meta().namespace(), List.of(term), true, false);
    }

    private boolean isCounted(PodSelection selection, PodLocation each) {
        return !(selection.excludesTerminating && each.meta.deleting())
                && !(selection.isBoundOnly && !each.isBound)
                && matches(selection, each.meta);
    }

    private boolean matches(PodSelection selection, ObjectMeta pod) {
        return selection.terms.stream().allMatch(term -> term.matches(selection.namespace, pod, this::namespaceLabels));
    }

    private SortedMap<String, String> namespaceLabels(String namespace) {
        return state.namespace(namespace)
                .map(Namespace::meta)
                .map(ObjectMeta::labels)
                .orElseGet(TreeMap::new);
    }
}
