package dev.claimstream.allocation.cell;

import dev.claimstream.dra.HostPort;
import dev.claimstream.dra.Node;
import dev.claimstream.dra.TopologySpreadConstraint;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.function.Supplier;

/**
 * What keeps one pod from nodes because of those that stand there.
 *
 * <p>Source: the filters NodePorts, InterPodAffinity and PodTopologySpread of kube-scheduler 1.36.
 */
record Nearness(List<Bound> bounds) {
    /** For whoever goes anywhere. */
    static final Nearness NONE = new Nearness(List.of());

    /** One thing that keeps it from nodes. */
    sealed interface Bound {
        /** What keeps the pod from this node, in words that follow its name. */
        Optional<Supplier<String>> against(Node node);
    }

    boolean isNone() {
        return bounds.isEmpty();
    }

    /** What keeps the pod from this node, in words that follow its name. */
    Optional<Supplier<String>> against(Node node) {
        return bounds.stream().flatMap(bound -> bound.against(node).stream()).findFirst();
    }

    private static Optional<String> label(Node node, String key) {
        return Optional.ofNullable(node.meta().labels().get(key));
    }

    /** Ports of the node that the pod takes; {@code taken} are those of every node. */
    record Ports(List<HostPort> wanted, Map<String, List<HostPort>> taken) implements Bound {
        @Override
        public Optional<Supplier<String>> against(Node node) {
            List<HostPort> here = taken.getOrDefault(node.meta().name(), List.of());
            return wanted.stream()
                    .filter(port -> here.stream().anyMatch(port::collidesWith))
                    .findFirst()
                    .map(port -> () -> "another pod has its port %d/%s".formatted(port.port(), port.protocol()));
        }
    }

    /** Nodes with one of these labels are too near. */
    record Apart(String topologyKey, Set<String> values, String who) implements Bound {
        /** To pods that the pod keeps away from. */
        static Apart fromOthers(String topologyKey, Set<String> values) {
            return new Apart(topologyKey, values, "a pod that this one keeps away from stands");
        }

        /** To pods that keep away from the pod. */
        static Apart fromThis(String topologyKey, Set<String> values) {
            return new Apart(topologyKey, values, "a pod that keeps away from this one stands");
        }

        @Override
        public Optional<Supplier<String>> against(Node node) {
            return label(node, topologyKey)
                    .filter(values::contains)
                    .map(value -> () -> "%s in %s=%s (pod anti-affinity)".formatted(who, topologyKey, value));
        }
    }

    /**
     * Nodes that are near in every respect.
     *
     * @param near the values of each label
     * @param isFirst whether the pod is the first of those that have to be near to each other: any value will do
     */
    record Together(Map<String, Set<String>> near, boolean isFirst) implements Bound {
        @Override
        public Optional<Supplier<String>> against(Node node) {
            return near.keySet().stream()
                    .flatMap(key -> against(node, key).stream())
                    .findFirst();
        }

        private Optional<Supplier<String>> against(Node node, String key) {
            Optional<String> value = label(node, key);
            if (value.isEmpty()) {
                return Optional.of(() -> "it has no label %s (pod affinity)".formatted(key));
            }
            return value.filter(each -> !isFirst
                            && !near.getOrDefault(key, Collections.emptySet()).contains(each))
                    .map(each -> () -> "no pod that this one has to be near to stands in %s=%s (pod affinity)"
                            .formatted(key, each));
        }
    }

    /**
     * Domains that would not have too many of a sort. Pods that are on their way may arrive in any order, so they count where they will
     * be, and not yet where there are the fewest.
     */
    record Spread(List<Skew> skews) implements Bound {
        /**
         * One constraint.
         *
         * @param inDomain how many pods there are or will be, by the value of the label
         * @param emptiest the domain with the fewest bound pods
         * @param fewest how many those are
         * @param fewestElsewhere how many there are in another domain at least
         * @param self 1 where the pod itself counts
         */
        record Skew(
                TopologySpreadConstraint constraint,
                SortedMap<String, Integer> inDomain,
                String emptiest,
                int fewest,
                int fewestElsewhere,
                int self) {

            /** {@code bound} counts as {@code inDomain} does, without pods that are on their way. */
            static Skew of(
                    TopologySpreadConstraint constraint,
                    SortedMap<String, Integer> inDomain,
                    SortedMap<String, Integer> bound,
                    boolean isCounted) {
                String emptiest = "";
                int fewest = Integer.MAX_VALUE;
                int fewestElsewhere = Integer.MAX_VALUE;
                for (Map.Entry<String, Integer> each : bound.entrySet()) {
                    if (each.getValue() < fewest) {
                        fewestElsewhere = fewest;
                        fewest = each.getValue();
                        emptiest = each.getKey();
                    } else {
                        fewestElsewhere = Math.min(fewestElsewhere, each.getValue());
                    }
                }
                return bound.size() < constraint.minDomains()
                        ? new Skew(constraint, inDomain, "", 0, 0, isCounted ? 1 : 0)
                        : new Skew(constraint, inDomain, emptiest, fewest, fewestElsewhere, isCounted ? 1 : 0);
            }

            private Optional<Supplier<String>> against(Node node) {
                String key = constraint.topologyKey();
                Optional<String> value = label(node, key);
                if (value.isEmpty()) {
                    return Optional.of(() -> "it has no label %s (topology spread)".formatted(key));
                }
                int here = inDomain.getOrDefault(value.get(), 0);
                int others = value.get().equals(emptiest) ? fewestElsewhere : fewest;
                int skew = here + self - Math.min(here, others);
                return skew > constraint.maxSkew()
                        ? Optional.of(() ->
                                "%s=%s would have %d more pods of its sort than another has, at most %d are allowed (topology spread)"
                                        .formatted(key, value.get(), skew, constraint.maxSkew()))
                        : Optional.empty();
            }
        }

        @Override
        public Optional<Supplier<String>> against(Node node) {
            return skews.stream().flatMap(skew -> skew.against(node).stream()).findFirst();
        }
    }
}
