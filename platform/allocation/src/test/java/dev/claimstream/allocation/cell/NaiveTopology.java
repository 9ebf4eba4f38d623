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
    private final List<Other> others = new ArrayList<>();
    private final List<Node> nodes;

    NaiveTopology(State state) {
        this.state = state;
        this.nodes = state.rowsFrom("object/" + Kind.NODE.apiName() + "/").values().stream()
                .flatMap(row -> ((Row.ObjectRow) row).content().stream())
                .map(Node.class::cast)
                .toList();
        for (Row row : state.rowsFrom("object/" + Kind.POD.apiName() + "/").values()) {
            ObjectKey key = ((Row.ObjectRow) row).object();
            state.nodeUsage().usageOf(key).ifPresent(charge -> {
                Optional<Node> node = nodes.stream()
                        .filter(each -> each.meta().name().equals(charge.node()))
                        .findFirst();
                others.add(new Other(state.pod(key).orElseThrow(), charge.node(), node));
            });
        }
    }

    /** A pod on its node. The node may be unknown. */
    private record Other(Pod pod, String nodeName, Optional<Node> node) {
        Optional<String> value(String key) {
            return node.flatMap(each -> NaiveTopology.value(each, key));
        }
    }

    private static Optional<String> value(Node node, String key) {
        return Optional.ofNullable(node.meta().labels().get(key));
    }

    private static boolean isNear(Other other, Node node, String key) {
        return value(node, key).isPresent() && value(node, key).equals(other.value(key));
    }

    private boolean means(PodAffinityTerm term, Pod owner, ObjectMeta other) {
        return term.matches(
                owner.meta().namespace(),
                other,
                name -> state.namespace(name)
                        .map(Namespace::meta)
                        .map(ObjectMeta::labels)
                        .orElseGet(TreeMap::new));
    }

    /** Whether other pods allow the item on the node; always true for standalone claims and bound pods. */
    boolean lets(ItemId item, Node node) {
        return item.kind() == ItemId.ItemKind.CLAIM
                || state.pod(item.key())
                        .filter(pod -> pod.nodeName().isEmpty() && !lets(pod, node))
                        .isEmpty();
    }

    boolean lets(Pod pod, Node node) {
        return portsAreFree(pod, node) && nobodyIsTooNear(pod, node) && isNearEnough(pod, node) && isSpread(pod, node);
    }

    private boolean portsAreFree(Pod pod, Node node) {
        return others.stream()
                .filter(other -> other.nodeName.equals(node.meta().name()))
                .flatMap(other -> other.pod.topology().hostPorts().stream())
                .noneMatch(taken -> pod.topology().hostPorts().stream().anyMatch(taken::collidesWith));
    }

    private boolean nobodyIsTooNear(Pod pod, Node node) {
        return others.stream()
                .noneMatch(other -> pod.topology().antiAffinity().stream()
                                .anyMatch(term ->
                                        means(term, pod, other.pod.meta()) && isNear(other, node, term.topologyKey()))
                        || other.pod.topology().antiAffinity().stream()
                                .anyMatch(term ->
                                        means(term, other.pod, pod.meta()) && isNear(other, node, term.topologyKey())));
    }

    private boolean isNearEnough(Pod pod, Node node) {
        List<PodAffinityTerm> terms = pod.topology().affinity();
        if (terms.stream().anyMatch(term -> value(node, term.topologyKey()).isEmpty())) {
            return false;
        }
        boolean isOneOfThem = terms.stream().allMatch(term -> means(term, pod, pod.meta()));
        List<Other> meant = others.stream()
                .filter(other -> isOneOfThem || other.pod.nodeName().isPresent())
                .filter(other -> terms.stream().allMatch(term -> means(term, pod, other.pod.meta())))
                .toList();
        if (terms.stream()
                .allMatch(term -> meant.stream().anyMatch(other -> isNear(other, node, term.topologyKey())))) {
            return true;
        }
        boolean isNobodyThere = meant.stream()
                .noneMatch(other -> terms.stream()
                        .anyMatch(term -> other.value(term.topologyKey()).isPresent()));
        return isNobodyThere && isOneOfThem;
    }

    private boolean isSpread(Pod pod, Node node) {
        return pod.topology().spread().stream().allMatch(constraint -> isSpread(pod, node, constraint));
    }

    private boolean isSpread(Pod pod, Node node, TopologySpreadConstraint constraint) {
        if (value(node, constraint.topologyKey()).isEmpty()) {
            return false;
        }
        SortedMap<String, Long> bound = inDomains(pod, constraint, true);
        String domain = value(node, constraint.topologyKey()).orElseThrow();
        long here = inDomains(pod, constraint, false).getOrDefault(domain, 0L);
        bound.put(domain, here); // unbound pods do not count for the minimum of other domains
        boolean areTooFew = inDomains(pod, constraint, true).size() < constraint.minDomains();
        long fewest = areTooFew
                ? 0
                : bound.values().stream().mapToLong(Long::longValue).min().orElse(0);
        boolean isCounted = means(ofSort(constraint), pod, pod.meta());
        return here + (isCounted ? 1 : 0) - fewest <= constraint.maxSkew();
    }

    private SortedMap<String, Long> inDomains(Pod pod, TopologySpreadConstraint constraint, boolean onlyBound) {
        SortedMap<String, Long> pods = new TreeMap<>();
        for (Node each : nodes) {
            if (counts(pod, each, constraint)) {
                long here = others.stream()
                        .filter(other ->
                                other.nodeName.equals(each.meta().name()) && isOfSort(pod, other.pod, constraint))
                        .filter(other -> !onlyBound || other.pod.nodeName().isPresent())
                        .count();
                pods.merge(value(each, constraint.topologyKey()).orElseThrow(), here, Long::sum);
            }
        }
        return pods;
    }

    private static boolean counts(Pod pod, Node node, TopologySpreadConstraint constraint) {
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

    private boolean isOfSort(Pod asking, Pod other, TopologySpreadConstraint constraint) {
        return !other.meta().deleting() && means(ofSort(constraint), asking, other.meta());
    }

    private static PodAffinityTerm ofSort(TopologySpreadConstraint constraint) {
        return new PodAffinityTerm("", constraint.selector(), new TreeSet<>(), Optional.empty());
    }
}
