package dev.claimstream.allocation.solver;

import dev.claimstream.dra.ResourceList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * How a pod accounts for what its devices take of its node's own resources.
 *
 * @param containers per claim asked for, how many containers of the pod use it
 * @param spare of each resource that the pod asks for as a whole, what is left of that for devices; units as in {@link ResourceList}
 */
public record Accounting(List<Integer> containers, SortedMap<String, Long> spare) {
    public Accounting {
        containers = List.copyOf(containers);
        spare = Collections.unmodifiableSortedMap(new TreeMap<>(spare));
    }

    /** The first resource of which devices take more than the pod has asked for as a whole, in words. */
    public Optional<String> exceeded(ResourceList taken) {
        return spare.entrySet().stream()
                .filter(each -> taken.amount(each.getKey()) > each.getValue())
                .map(each -> "devices take %s of %s, and the pod asks for %s more than its containers do"
                        .formatted(
                                ResourceList.quantity(each.getKey(), taken.amount(each.getKey())),
                                each.getKey(),
                                ResourceList.quantity(each.getKey(), each.getValue())))
                .findFirst();
    }

    /** What devices take beside what the pod asks for as a whole. */
    public static ResourceList beside(SortedMap<String, Long> spare, ResourceList taken) {
        return taken.without(resource -> spare.containsKey(resource));
    }

    /** The same where devices take this already. */
    public Accounting without(ResourceList taken) {
        var left = new TreeMap<>(spare);
        left.replaceAll((resource, amount) -> amount - taken.amount(resource));
        return new Accounting(containers, left);
    }
}
