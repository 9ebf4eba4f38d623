package dev.claimstream.dra;

import java.util.Collections;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Function;

/**
 * A term that selects the pods of an affinity or anti-affinity (core/v1).
 *
 * <p>The selector includes {@code matchLabelKeys} and {@code mismatchLabelKeys}, as merged by the API server.
 *
 * @param topologyKey the node label whose values define topology domains
 * @param selector absent: no pod
 * @param namespaces namespaces of the pods; if empty and without a namespace selector, the namespace of the pod with the term
 * @param namespaceSelector further namespaces, by label; absent: none
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
     * Returns whether the term selects a pod.
     *
     * @param own the namespace of the pod with the term
     * @param labelsOf returns the labels of a namespace; empty if the namespace is unknown
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
