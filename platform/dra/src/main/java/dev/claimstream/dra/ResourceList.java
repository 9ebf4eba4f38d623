package dev.claimstream.dra;

import java.math.BigDecimal;
import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;

/**
 * Amounts of what a node has and pods ask for, by resource ({@code core/v1 ResourceList}): cpu in thousandths, memory and storage in
 * bytes, everything else by number. Nothing is as good as zero.
 */
public record ResourceList(SortedMap<String, Long> amounts) {
    /** Processors, in thousandths. */
    public static final String CPU = "cpu";

    /** How many pods a node takes. */
    public static final String PODS = "pods";

    private static final ResourceList NONE = new ResourceList(Collections.emptySortedMap());
    private static final ResourceList ONE_POD = new ResourceList(new TreeMap<>(Map.of(PODS, 1L)));

    public ResourceList {
        var some = new TreeMap<String, Long>();
        amounts.forEach((resource, amount) -> {
            if (amount != 0) {
                some.put(resource, amount);
            }
        });
        amounts = Copies.sorted(some);
    }

    /** Nothing of anything. */
    public static ResourceList none() {
        return NONE;
    }

    /** What every pod takes: itself. */
    public static ResourceList onePod() {
        return ONE_POD;
    }

    /** An amount as it counts here: cpu in thousandths, others whole; rounded up. */
    public static long units(String resource, Quantity amount) {
        return resource.equals(CPU) ? amount.scaled(3) : amount.scaled(0);
    }

    /** The amount in the form of Kubernetes. */
    public static Quantity quantity(String resource, long units) {
        if (resource.equals(CPU)) {
            return Quantity.thousandths(units);
        }
        return isBytes(resource)
                ? Quantity.of(BigDecimal.valueOf(units), Quantity.Notation.BINARY_SI)
                : Quantity.of(units);
    }

    private static boolean isBytes(String resource) {
        return resource.equals("memory") || resource.equals("ephemeral-storage") || resource.startsWith("hugepages-");
    }

    /** Whether a pod can ask for this resource as a whole, in {@code spec.resources} ({@code IsSupportedPodLevelResource}). */
    public static boolean isForPods(String resource) {
        return resource.equals(CPU) || resource.equals("memory") || resource.startsWith("hugepages-");
    }

    /** Whether it says nothing. */
    public boolean isNone() {
        return amounts.isEmpty();
    }

    /** How much of a resource. */
    public long amount(String resource) {
        return amounts.getOrDefault(resource, 0L);
    }

    /** Both together. */
    public ResourceList plus(ResourceList other) {
        return combined(other, 1);
    }

    /** Without the other's, which may leave less than nothing. */
    public ResourceList minus(ResourceList other) {
        return combined(other, -1);
    }

    private ResourceList combined(ResourceList other, int sign) {
        if (other.isNone()) {
            return this;
        }
        var result = new TreeMap<>(amounts);
        other.amounts.forEach((resource, amount) -> result.merge(resource, sign * amount, ResourceList::sum));
        return new ResourceList(result);
    }

    /** Amounts at the end of the range stay there. */
    private static long sum(long one, long other) {
        long sum = one + other;
        boolean overflows = ((one ^ sum) & (other ^ sum)) < 0;
        return overflows ? (one > 0 ? Long.MAX_VALUE : Long.MIN_VALUE) : sum;
    }

    /** The same without some resources. */
    public ResourceList without(Predicate<String> resources) {
        var result = new TreeMap<>(amounts);
        result.keySet().removeIf(resources);
        return new ResourceList(result);
    }

    /** Of every resource the larger amount. */
    public ResourceList max(ResourceList other) {
        var result = new TreeMap<>(amounts);
        other.amounts.forEach((resource, amount) -> result.merge(resource, amount, Math::max));
        return new ResourceList(result);
    }
}
