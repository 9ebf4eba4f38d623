package dev.claimstream.allocation.cell;

import dev.claimstream.dra.Kind;
import dev.claimstream.dra.Namespace;
import dev.claimstream.dra.Node;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.ObjectMeta;
import dev.claimstream.dra.Pod;
import dev.claimstream.dra.PodAffinityTerm;
import dev.claimstream.dra.Toleration;
import dev.claimstream.dra.TopologySpreadConstraint;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/** Evaluates inter-pod constraints by a scan of every pod on every node, without an index. */
final class NaiveTopology {
    private final State state;
    private final List<PlacedPod> placedPods = new ArrayList<>();
    private final List<Node> nodes;

    NaiveTopology(State state) {
        this.state = state;
        this.nodes = state.rows(ObservedRow.ObjectRow.allOf(Kind.NODE)).stream()
                .flatMap(row -> row.content().stream())
                .map(Node.class::cast)
                .toList();
        for (ObservedRow.ObjectRow row : state.rows(ObservedRow.ObjectRow.allOf(Kind.POD))) {
            ObjectKey key = row.object();
            state.nodeUsage().usageOf(key).ifPresent(usage -> {
                Optional<Node> node = nodes.stream()
                        .filter(each -> each.meta().name().equals(usage.node()))
                        .findFirst();
                placedPods.add(new PlacedPod(state.pod(key).orElseThrow(), usage.node(), node));
            });
        }
    }

    /** A pod on its node. The node may be unknown. */
    private record PlacedPod(Pod pod, String nodeName, Optional<Node> node) {
        Optional<String> value(String key) {
            return node.flatMap(each -> NaiveTopology.value(each, key));
        }
    }

    private static Optional<String> value(Node node, String key) {
        return Optional.ofNullable(node.meta().labels().get(key));
    }

    private static boolean isInSameDomain(PlacedPod other, Node node, String key) {
        return value(node, key).isPresent() && value(node, key).equals(other.value(key));
    }

    private boolean matchesTerm(PodAffinityTerm term, Pod owner, ObjectMeta other) {
        return term.matches(
                owner.meta().namespace(),
                other,
                name -> state.namespace(name)
                        .map(Namespace::meta)
                        .map(ObjectMeta::labels)
                        .orElseGet(TreeMap::new));
    }

    /** Whether other pods allow the item on the node; always true for standalone claims and bound pods. */
    boolean admits(ItemId item, Node node) {
        return item.kind() == ItemId.ItemKind.CLAIM
                || state.pod(item.key())
                        .filter(pod -> pod.nodeName().isEmpty() && !admits(pod, node))
                        .isEmpty();
    }

    boolean admits(Pod pod, Node node) {
        return hasFreePorts(pod, node)
                && satisfiesAntiAffinity(pod, node)
                && satisfiesAffinity(pod, node)
                && satisfiesSpread(pod, node);
    }

    private boolean hasFreePorts(Pod pod, Node node) {
        return placedPods.stream()
                .filter(other -> other.nodeName.equals(node.meta().name()))
                .flatMap(other -> other.pod.topology().hostPorts().stream())
                .noneMatch(used -> pod.topology().hostPorts().stream().anyMatch(used::collidesWith));
    }

    private boolean satisfiesAntiAffinity(Pod pod, Node node) {
        return placedPods.stream()
                .noneMatch(other -> pod.topology().antiAffinity().stream()
                                .anyMatch(term -> matchesTerm(term, pod, other.pod.meta())
                                        && isInSameDomain(other, node, term.topologyKey()))
                        || other.pod.topology().antiAffinity().stream()
                                .anyMatch(term -> matchesTerm(term, other.pod, pod.meta())
                                        && isInSameDomain(other, node, term.topologyKey())));
    }

    private boolean satisfiesAffinity(Pod pod, Node node) {
        List<PodAffinityTerm> terms = pod.topology().affinity();
        if (terms.stream().anyMatch(term -> value(node, term.topologyKey()).isEmpty())) {
            return false;
        }
        boolean isOneOfThem = terms.stream().allMatch(term -> matchesTerm(term, pod, pod.meta()));
        List<PlacedPod> meant = placedPods.stream()
                .filter(other -> isOneOfThem || other.pod.nodeName().isPresent())
                .filter(other -> terms.stream().allMatch(term -> matchesTerm(term, pod, other.pod.meta())))
                .toList();
        if (terms.stream()
                .allMatch(term -> meant.stream().anyMatch(other -> isInSameDomain(other, node, term.topologyKey())))) {
            return true;
        }
        boolean hasNoMatch = meant.stream()
                .noneMatch(other -> terms.stream()
                        .anyMatch(term -> other.value(term.topologyKey()).isPresent()));
        return hasNoMatch && isOneOfThem;
    }

    private boolean satisfiesSpread(Pod pod, Node node) {
        return pod.topology().spread().stream().allMatch(constraint -> satisfiesSpread(pod, node, constraint));
    }

    private boolean satisfiesSpread(Pod pod, Node node, TopologySpreadConstraint constraint) {
        if (value(node, constraint.topologyKey()).isEmpty()) {
            return false;
        }
        SortedMap<String, Long> bound = podsPerDomain(pod, constraint, true);
        String domain = value(node, constraint.topologyKey()).orElseThrow();
        long here = podsPerDomain(pod, constraint, false).getOrDefault(domain, 0L);
        bound.put(domain, here); // unbound pods do not count for the minimum of other domains
        boolean areTooFew = podsPerDomain(pod, constraint, true).size() < constraint.minDomains();
        long fewest = areTooFew
                ? 0
                : bound.values().stream().mapToLong(Long::longValue).min().orElse(0);
        boolean isCounted = matchesTerm(selectorTerm(constraint), pod, pod.meta());
        return here + (isCounted ? 1 : 0) - fewest <= constraint.maxSkew();
    }

    private SortedMap<String, Long> podsPerDomain(Pod pod, TopologySpreadConstraint constraint, boolean onlyBound) {
        SortedMap<String, Long> pods = new TreeMap<>();
        for (Node each : nodes) {
            if (isEligible(pod, each, constraint)) {
                long here = placedPods.stream()
                        .filter(other -> other.nodeName.equals(each.meta().name())
                                && matchesConstraint(pod, other.pod, constraint))
                        .filter(other -> !onlyBound || other.pod.nodeName().isPresent())
                        .count();
                pods.merge(value(each, constraint.topologyKey()).orElseThrow(), here, Long::sum);
            }
        }
        return pods;
    }

    private static boolean isEligible(Pod pod, Node node, TopologySpreadConstraint constraint) {
        String name = node.meta().name();
        SortedMap<String, String> labels = node.meta().labels();
        return pod.topology().spread().stream().allMatch(each -> labels.containsKey(each.topologyKey()))
                && (!constraint.honorsNodeAffinity()
                        || (pod.nodeSelector().entrySet().stream()
                                        .allMatch(each -> each.getValue().equals(labels.get(each.getKey())))
                                && pod.requiredAffinity()
                                        .map(each -> each.matches(name, labels))
                                        .orElse(true)))
                && (!constraint.honorsNodeTaints()
                        || Toleration.firstUntolerated(node.taints(), pod.tolerations())
                                .isEmpty());
    }

    private boolean matchesConstraint(Pod asking, Pod other, TopologySpreadConstraint constraint) {
        return !other.meta().deleting() && matchesTerm(selectorTerm(constraint), asking, other.meta());
    }

    private static PodAffinityTerm selectorTerm(TopologySpreadConstraint constraint) {
        return new PodAffinityTerm("", constraint.selector(), new TreeSet<>(), Optional.empty());
    }
}
