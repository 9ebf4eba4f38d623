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
record InterPodConstraints(List<InterPodConstraint> constraints) {
    /** No constraints. */
    static final InterPodConstraints NONE = new InterPodConstraints(List.of());

    /** A rule of a pod that excludes nodes, such as anti-affinity or a host port. */
    sealed interface InterPodConstraint {
        /** Why the node is not allowed, as text that follows the node's name; empty if it is allowed. */
        Optional<Supplier<String>> violation(Node node);
    }

    boolean isNone() {
        return constraints.isEmpty();
    }

    /** Why the node is not allowed, as text that follows the node's name; empty if it is allowed. */
    Optional<Supplier<String>> violation(Node node) {
        return constraints.stream()
                .flatMap(bound -> bound.violation(node).stream())
                .findFirst();
    }

    private static Optional<String> label(Node node, String key) {
        return Optional.ofNullable(node.meta().labels().get(key));
    }

    /** Host ports. {@code requested} are those of the pod; {@code used} are those in use, by node. */
    record HostPorts(List<HostPort> requested, Map<String, List<HostPort>> used) implements InterPodConstraint {
        @Override
        public Optional<Supplier<String>> violation(Node node) {
            List<HostPort> here = used.getOrDefault(node.meta().name(), List.of());
            return requested.stream()
                    .filter(port -> here.stream().anyMatch(port::collidesWith))
                    .findFirst()
                    .map(port -> () -> "another pod uses its host port %d/%s".formatted(port.port(), port.protocol()));
        }
    }

    /** Anti-affinity: nodes whose label has one of these values are not allowed. */
    record AntiAffinity(String topologyKey, Set<String> values, String subject) implements InterPodConstraint {
        /** By a term of the incoming pod. */
        static AntiAffinity ofIncomingPod(String topologyKey, Set<String> values) {
            return new AntiAffinity(topologyKey, values, "a pod that this pod excludes is");
        }

        /** By a term of an existing pod. */
        static AntiAffinity ofExistingPods(String topologyKey, Set<String> values) {
            return new AntiAffinity(topologyKey, values, "a pod that excludes this pod is");
        }

        @Override
        public Optional<Supplier<String>> violation(Node node) {
            return label(node, topologyKey)
                    .filter(values::contains)
                    .map(value -> () -> "%s in %s=%s (pod anti-affinity)".formatted(subject, topologyKey, value));
        }
    }

    /**
     * Affinity: nodes must match every term.
     *
     * @param domains allowed values by topology key
     * @param isFirst whether no pod matches yet and the pod matches its own terms: then any value is allowed
     */
    record Affinity(Map<String, Set<String>> domains, boolean isFirst) implements InterPodConstraint {
        @Override
        public Optional<Supplier<String>> violation(Node node) {
            return domains.keySet().stream()
                    .flatMap(key -> violation(node, key).stream())
                    .findFirst();
        }

        private Optional<Supplier<String>> violation(Node node, String key) {
            Optional<String> value = label(node, key);
            if (value.isEmpty()) {
                return Optional.of(() -> "it has no label %s (pod affinity)".formatted(key));
            }
            return value.filter(each -> !isFirst
                            && !domains.getOrDefault(key, Collections.emptySet())
                                    .contains(each))
                    .map(each -> () -> "no pod that this pod requires is in %s=%s (pod affinity)".formatted(key, each));
        }
    }

    /**
     * Topology spread: the maximum skew must hold.
     *
     * <p>Pods that are not bound yet may start in any order. They count in their own domain, but not for the minimum
     * over all domains.
     */
    record TopologySpread(List<Skew> skews) implements InterPodConstraint {
        /**
         * One spread constraint.
         *
         * @param podsInDomain bound and expected pods by domain
         * @param emptiest the domain with the fewest bound pods
         * @param fewest bound pods of that domain
         * @param fewestElsewhere the minimum over all other domains
         * @param self 1 if the pod itself matches
         */
        record Skew(
                TopologySpreadConstraint constraint,
                SortedMap<String, Integer> podsInDomain,
                String emptiest,
                int fewest,
                int fewestElsewhere,
                int self) {

            /** {@code bound} has the same keys as {@code podsInDomain} and counts bound pods only. */
            static Skew of(
                    TopologySpreadConstraint constraint,
                    SortedMap<String, Integer> podsInDomain,
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
                        ? new Skew(constraint, podsInDomain, "", 0, 0, isCounted ? 1 : 0)
                        : new Skew(constraint, podsInDomain, emptiest, fewest, fewestElsewhere, isCounted ? 1 : 0);
            }

            private Optional<Supplier<String>> violation(Node node) {
                String key = constraint.topologyKey();
                Optional<String> value = label(node, key);
                if (value.isEmpty()) {
                    return Optional.of(() -> "it has no label %s (topology spread)".formatted(key));
                }
                int here = podsInDomain.getOrDefault(value.get(), 0);
                int others = value.get().equals(emptiest) ? fewestElsewhere : fewest;
                int skew = here + self - Math.min(here, others);
                return skew > constraint.maxSkew()
                        ? Optional.of(() ->
                                "%s=%s would have %d more matching pods than another domain, at most %d are allowed (topology spread)"
                                        .formatted(key, value.get(), skew, constraint.maxSkew()))
                        : Optional.empty();
            }
        }

        @Override
        public Optional<Supplier<String>> violation(Node node) {
            return skews.stream().flatMap(skew -> skew.violation(node).stream()).findFirst();
        }
    }
}
