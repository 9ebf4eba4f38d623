package dev.claimstream.allocation.solver;

import dev.claimstream.dra.ResourceList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Describes how a pod accounts for the node resources that its devices consume ({@code DRANodeAllocatableResources}).
 *
 * @param containers per claim of the problem, the number of containers of the pod that use the claim
 * @param spare per resource with a pod-level request, the part of the request that devices may consume; units as in
 *     {@link ResourceList}
 */
public record Accounting(List<Integer> containers, SortedMap<String, Long> spare) {
    public Accounting {
        containers = List.copyOf(containers);
        spare = Collections.unmodifiableSortedMap(new TreeMap<>(spare));
    }

    /** Returns a message about the first resource of which devices consume more than the pod-level request leaves. */
    public Optional<String> overcommitted(ResourceList allocated) {
        return spare.entrySet().stream()
                .filter(each -> allocated.amount(each.getKey()) > each.getValue())
                .map(each ->
                        "devices consume %s of %s, but the pod-level request exceeds the container requests by only %s"
                                .formatted(
                                        ResourceList.quantity(each.getKey(), allocated.amount(each.getKey())),
                                        each.getKey(),
                                        ResourceList.quantity(each.getKey(), each.getValue())))
                .findFirst();
    }

    /**
     * Returns the consumption of resources without a pod-level request; it counts in addition to the pod's requests.
     */
    public static ResourceList excess(SortedMap<String, Long> spare, ResourceList allocated) {
        return allocated.without(resource -> spare.containsKey(resource));
    }

    /** Returns the accounting that remains after this consumption. */
    public Accounting without(ResourceList allocated) {
        var remaining = new TreeMap<>(spare);
        remaining.replaceAll((resource, amount) -> amount - allocated.amount(resource));
        return new Accounting(containers, remaining);
    }
}
