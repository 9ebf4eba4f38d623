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
final class Neighbours {
    /** Maximum number of cached {@link SpreadDomains}. The cache is cleared when it is full. */
    private static final int DOMAINS_MAX = 64;

    private final State state;
    private final Map<ObjectKey, Placed> placed = new LinkedHashMap<>();
    private final Map<ObjectKey, List<Crowd>> asking = new LinkedHashMap<>();
    private final Map<Crowd, Tally> tallies = new LinkedHashMap<>();
    private final Map<Refusal, Tally> refusals = new LinkedHashMap<>();
    private final Map<String, List<HostPort>> ports = new LinkedHashMap<>();
    private final Map<SpreadDomains.Asked, SpreadDomains> domains = new LinkedHashMap<>();
    private long changes;

    Neighbours(State state) {
        this.state = state;
    }

    /**
     * A pod with a node.
     *
     * @param isBound whether it is bound; otherwise only its claims are allocated there
     */
    private record Placed(
            String node, ObjectMeta meta, boolean isBound, List<PodAffinityTerm> antiAffinity, List<HostPort> ports) {}

    /**
     * A selection of pods by terms of some other pod.
     *
     * @param own namespace of the pod with the terms
     * @param terms all must match
     * @param onlyStaying whether pods that are being deleted do not count
     * @param onlyBound whether unbound pods do not count
     */
    private record Crowd(String own, List<PodAffinityTerm> terms, boolean onlyStaying, boolean onlyBound) {
        Crowd bound() {
            return new Crowd(own, terms, onlyStaying, true);
        }
    }

    /** An anti-affinity term of existing pods; {@code own} is their namespace. */
    private record Refusal(String own, PodAffinityTerm term) {}

    /** Matching pods per node, and how many pods use this count. */
    private static final class Tally {
        private final SortedMap<String, Integer> onNode = new TreeMap<>();
        private int asking;

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
    void settle(ObjectKey key, Optional<String> node) {
        Optional<Pod> pod = state.pod(key);
        Optional<Placed> now = pod.flatMap(each -> node.map(name -> placed(name, each)));
        Placed before = now.isPresent() ? placed.put(key, now.get()) : placed.remove(key);
        if (!now.equals(Optional.ofNullable(before))) {
            Optional.ofNullable(before).ifPresent(each -> count(each, -1));
            now.ifPresent(each -> count(each, 1));
        }
        ask(key);
    }

    private static Placed placed(String node, Pod pod) {
        return new Placed(
                node,
                pod.meta(),
                pod.nodeName().isPresent(),
                pod.topology().antiAffinity(),
                pod.topology().hostPorts());
    }

    private void count(Placed each, int more) {
        tallies.forEach((crowd, tally) -> {
            if (counts(crowd, each)) {
                tally.add(each.node, more);
                changes++;
            }
        });
        for (PodAffinityTerm term : each.antiAffinity) {
            var refusal = new Refusal(each.meta.namespace(), term);
            Tally tally = refusals.computeIfAbsent(refusal, _ -> new Tally());
            tally.add(each.node, more);
            if (tally.onNode.isEmpty()) {
                refusals.remove(refusal);
            }
            changes++;
        }
        for (HostPort port : each.ports) {
            List<HostPort> taken = ports.computeIfAbsent(each.node, _ -> new ArrayList<>());
            if (more > 0) {
                taken.add(port);
            } else {
                taken.remove(port);
            }
            changes++;
        }
    }

    /** Keeps a count while any pod, with or without a node, has a term for it. */
    private void ask(ObjectKey key) {
        List<Crowd> now = state.pod(key)
                .filter(each -> !each.finished())
                .map(this::crowds)
                .orElse(List.of());
        List<Crowd> before = now.isEmpty() ? asking.remove(key) : asking.put(key, now);
        if (now.equals(before)) {
            return;
        }
        now.forEach(crowd -> tallies.computeIfAbsent(crowd, this::counted).asking++);
        if (before != null) {
            before.forEach(crowd -> tallies.computeIfPresent(crowd, (_, tally) -> --tally.asking == 0 ? null : tally));
        }
    }

    private Tally counted(Crowd crowd) {
        var tally = new Tally();
        placed.values().stream().filter(each -> counts(crowd, each)).forEach(each -> tally.add(each.node, 1));
        return tally;
    }

    /** Recounts selections with a namespace selector after a change of namespace labels. */
    void namespaceChanged() {
        List.copyOf(asking.keySet()).forEach(this::ask);
        tallies.forEach((crowd, tally) -> {
            if (crowd.terms.stream().anyMatch(term -> term.namespaceSelector().isPresent())) {
                tally.onNode.clear();
                tally.onNode.putAll(counted(crowd).onNode);
                changes++;
            }
        });
        if (refusals.keySet().stream()
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
    Nearness nearness(Pod pod) {
        PodTopology topology = pod.topology();
        List<Nearness.Bound> bounds = new ArrayList<>();
        if (!topology.hostPorts().isEmpty()) {
            bounds.add(new Nearness.Ports(topology.hostPorts(), ports));
        }
        refusing(pod).forEach((key, values) -> bounds.add(Nearness.Apart.fromThis(key, values)));
        for (PodAffinityTerm term : topology.antiAffinity()) {
            bounds.add(Nearness.Apart.fromOthers(term.topologyKey(), values(term, tallyOf(apart(pod, term)))));
        }
        if (!topology.affinity().isEmpty()) {
            bounds.add(near(pod, topology.affinity()));
        }
        if (!topology.spread().isEmpty()) {
            bounds.add(spread(pod, topology.spread()));
        }
        return new Nearness(bounds);
    }

    /** The topology values that existing pods forbid for this pod, by topology key. */
    private SortedMap<String, Set<String>> refusing(Pod pod) {
        var refusing = new TreeMap<String, Set<String>>();
        refusals.forEach((refusal, tally) -> {
            if (refusal.term.matches(refusal.own, pod.meta(), this::labelsOf)) {
                refusing.computeIfAbsent(refusal.term.topologyKey(), _ -> new TreeSet<>())
                        .addAll(values(refusal.term, tally));
            }
        });
        return refusing;
    }

    private Nearness.Together near(Pod pod, List<PodAffinityTerm> terms) {
        Crowd crowd = together(pod);
        Tally tally = tallyOf(crowd);
        var near = new LinkedHashMap<String, Set<String>>();
        for (PodAffinityTerm term : terms) {
            near.put(term.topologyKey(), values(term, tally));
        }
        boolean isFirst = near.values().stream().allMatch(Set::isEmpty) && isMeant(crowd, pod.meta());
        return new Nearness.Together(near, isFirst);
    }

    private Nearness.Spread spread(Pod pod, List<TopologySpreadConstraint> constraints) {
        SpreadDomains found = domainsFor(pod);
        List<Nearness.Spread.Skew> skews = new ArrayList<>();
        for (int i = 0; i < constraints.size(); i++) {
            TopologySpreadConstraint constraint = constraints.get(i);
            Crowd crowd = alike(pod, constraint);
            skews.add(Nearness.Spread.Skew.of(
                    constraint,
                    found.counted(i, tallyOf(crowd).onNode),
                    found.counted(i, tallyOf(crowd.bound()).onNode),
                    isMeant(crowd, pod.meta())));
        }
        return new Nearness.Spread(skews);
    }

    private SpreadDomains domainsFor(Pod pod) {
        if (domains.size() >= DOMAINS_MAX) {
            domains.clear();
        }
        return domains.computeIfAbsent(SpreadDomains.Asked.by(pod), this::domains);
    }

    private SpreadDomains domains(SpreadDomains.Asked asked) {
        List<Node> nodes = state.rowsFrom(Row.ObjectRow.prefix(Kind.NODE)).values().stream()
                .flatMap(row -> ((Row.ObjectRow) row).content().stream())
                .map(Node.class::cast)
                .toList();
        return SpreadDomains.of(asked, nodes);
    }

    /** The topology values of nodes with counted pods. */
    private Set<String> values(PodAffinityTerm term, Tally tally) {
        var values = new TreeSet<String>();
        for (String node : tally.onNode.keySet()) {
            state.node(node)
                    .flatMap(each -> Optional.ofNullable(each.meta().labels().get(term.topologyKey())))
                    .ifPresent(values::add);
        }
        return values;
    }

    private Tally tallyOf(Crowd crowd) {
        return Optional.ofNullable(tallies.get(crowd)).orElseGet(() -> counted(crowd));
    }

    private List<Crowd> crowds(Pod pod) {
        PodTopology topology = pod.topology();
        if (topology.isIndifferent()) {
            return List.of();
        }
        List<Crowd> crowds = new ArrayList<>();
        if (!topology.affinity().isEmpty()) {
            crowds.add(together(pod));
        }
        topology.antiAffinity().forEach(term -> crowds.add(apart(pod, term)));
        for (TopologySpreadConstraint constraint : topology.spread()) {
            crowds.add(alike(pod, constraint));
            crowds.add(alike(pod, constraint).bound());
        }
        return crowds;
    }

    /**
     * The selection for the pod's affinity terms.
     *
     * <p>Pods that match each other's terms start together, so unbound pods count. Otherwise the pod waits for a bound
     * pod, because kube-scheduler would reject it before.
     */
    private Crowd together(Pod pod) {
        var all = new Crowd(pod.meta().namespace(), pod.topology().affinity(), false, false);
        return isMeant(all, pod.meta()) ? all : all.bound();
    }

    private static Crowd apart(Pod pod, PodAffinityTerm term) {
        return new Crowd(pod.meta().namespace(), List.of(term), false, false);
    }

    private static Crowd alike(Pod pod, TopologySpreadConstraint constraint) {
        var term =
                new PodAffinityTerm(constraint.topologyKey(), constraint.selector(), new TreeSet<>(), Optional.empty());
        return new Crowd(pod.meta().namespace(), List.of(term), true, false);
    }

    private boolean counts(Crowd crowd, Placed each) {
        return !(crowd.onlyStaying && each.meta.deleting())
                && !(crowd.onlyBound && !each.isBound)
                && isMeant(crowd, each.meta);
    }

    private boolean isMeant(Crowd crowd, ObjectMeta pod) {
        return crowd.terms.stream().allMatch(term -> term.matches(crowd.own, pod, this::labelsOf));
    }

    private SortedMap<String, String> labelsOf(String namespace) {
        return state.namespace(namespace)
                .map(Namespace::meta)
                .map(ObjectMeta::labels)
                .orElseGet(TreeMap::new);
    }
}
