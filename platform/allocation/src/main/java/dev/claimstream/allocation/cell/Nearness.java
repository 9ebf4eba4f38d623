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
 * The constraints that other pods impose on the nodes of one pod.
 *
 * <p>Source: the filters NodePorts, InterPodAffinity and PodTopologySpread of kube-scheduler 1.36.
 */
record Nearness(List<Bound> bounds) {
    /** No constraints. */
    static final Nearness NONE = new Nearness(List.of());

    /** One constraint. */
    sealed interface Bound {
        /** Why the node is not allowed, as text that follows the node's name; empty if it is allowed. */
        Optional<Supplier<String>> against(Node node);
    }

    boolean isNone() {
        return bounds.isEmpty();
    }

    /** Why the node is not allowed, as text that follows the node's name; empty if it is allowed. */
    Optional<Supplier<String>> against(Node node) {
        return bounds.stream().flatMap(bound -> bound.against(node).stream()).findFirst();
    }

    private static Optional<String> label(Node node, String key) {
        return Optional.ofNullable(node.meta().labels().get(key));
    }

    /** Host ports. {@code wanted} are those of the pod; {@code taken} are those in use, by node. */
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

    /** Anti-affinity: nodes whose label has one of these values are not allowed. */
    record Apart(String topologyKey, Set<String> values, String who) implements Bound {
        /** By a term of the incoming pod. */
        static Apart fromOthers(String topologyKey, Set<String> values) {
            return new Apart(topologyKey, values, "a pod that this one keeps away from stands");
        }

        /** By a term of an existing pod. */
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
     * Affinity: nodes must match every term.
     *
     * @param near allowed values by topology key
     * @param isFirst whether no pod matches yet and the pod matches its own terms: then any value is allowed
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
     * Topology spread: the maximum skew must hold.
     *
     * <p>Pods that are not bound yet may start in any order. They count in their own domain, but not for the minimum
     * over all domains.
     */
    record Spread(List<Skew> skews) implements Bound {
        /**
         * One spread constraint.
         *
         * @param inDomain bound and expected pods by domain
         * @param emptiest the domain with the fewest bound pods
         * @param fewest bound pods of that domain
         * @param fewestElsewhere the minimum over all other domains
         * @param self 1 if the pod itself matches
         */
        record Skew(
                TopologySpreadConstraint constraint,
                SortedMap<String, Integer> inDomain,
                String emptiest,
                int fewest,
                int fewestElsewhere,
                int self) {

            /** {@code bound} has the same keys as {@code inDomain} and counts bound pods only. */
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
