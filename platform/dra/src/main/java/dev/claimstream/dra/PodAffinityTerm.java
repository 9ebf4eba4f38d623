package dev.claimstream.dra;

import java.util.Collections;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Function;

/**
 * Pods that another pod has to be near to, or away from (core/v1). {@code matchLabelKeys} and {@code mismatchLabelKeys} are part of the
 * selector, as the API server writes them into it.
 *
 * @param topologyKey the label of nodes whose value says what is near
 * @param selector absent: no pod
 * @param namespaces of those pods, by name; with none of them and no selector of namespaces it is that of the pod itself
 * @param namespaceSelector of those pods, by label; absent: none but those by name
 */
public record PodAffinityTerm(
        String topologyKey,
        Optional<LabelSelector> selector,
        SortedSet<String> namespaces,
        Optional<LabelSelector> namespaceSelector) {
    public PodAffinityTerm {
        namespaces = Collections.unmodifiableSortedSet(new TreeSet<>(namespaces));
    }

    /**
     * Whether it means a pod.
     *
     * @param own the namespace of the pod that says it
     * @param labelsOf the labels of a namespace; none where it is not known
     */
    public boolean matches(String own, ObjectMeta pod, Function<String, SortedMap<String, String>> labelsOf) {
        return reaches(own, pod.namespace(), labelsOf)
                && selector.filter(each -> each.matches(pod.labels())).isPresent();
    }

    private boolean reaches(String own, String namespace, Function<String, SortedMap<String, String>> labelsOf) {
        if (namespaces.isEmpty() && namespaceSelector.isEmpty()) {
            return namespace.equals(own);
        }
        return namespaces.contains(namespace)
                || namespaceSelector
                        .filter(each -> each.matches(labelsOf.apply(namespace)))
                        .isPresent();
    }
}
