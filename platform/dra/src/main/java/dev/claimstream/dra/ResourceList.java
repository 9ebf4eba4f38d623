package dev.claimstream.dra;

import java.math.BigDecimal;
import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;

/**
 * Resource amounts by name ({@code core/v1 ResourceList}). A missing resource is zero.
 *
 * <p>Units: cpu in thousandths, memory and storage in bytes, other resources as counts.
 */
public record ResourceList(SortedMap<String, Long> amounts) {
    /** CPU, in thousandths. */
    public static final String CPU = "cpu";

    /** The number of pods on a node. */
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

    /** Returns an empty list. */
    public static ResourceList none() {
        return NONE;
    }

    /** Returns the amount that every pod consumes: one pod. */
    public static ResourceList onePod() {
        return ONE_POD;
    }

    /** Converts a quantity to units: thousandths for cpu, whole numbers otherwise; rounded up. */
    public static long units(String resource, Quantity amount) {
        return resource.equals(CPU) ? amount.scaled(3) : amount.scaled(0);
    }

    /** Converts units to a quantity. */
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

    /** Returns whether a resource may be requested for a pod as a whole in {@code spec.resources} ({@code IsSupportedPodLevelResource}). */
    public static boolean isForPods(String resource) {
        return resource.equals(CPU) || resource.equals("memory") || resource.startsWith("hugepages-");
    }

    /** Returns whether all amounts are zero. */
    public boolean isNone() {
        return amounts.isEmpty();
    }

    /** Returns the amount of a resource, in its base unit; 0 if the list does not name it. */
    public long amount(String resource) {
        return amounts.getOrDefault(resource, 0L);
    }

    /** Returns the sum of each resource. */
    public ResourceList plus(ResourceList other) {
        return combined(other, 1);
    }

    /** Returns the difference. Amounts may become negative. */
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

    /** Adds with saturation. */
    private static long sum(long one, long other) {
        long sum = one + other;
        boolean overflows = ((one ^ sum) & (other ^ sum)) < 0;
        return overflows ? (one > 0 ? Long.MAX_VALUE : Long.MIN_VALUE) : sum;
    }

    /** Returns a copy without the resources that satisfy the predicate. */
    public ResourceList without(Predicate<String> resources) {
        var result = new TreeMap<>(amounts);
        result.keySet().removeIf(resources);
        return new ResourceList(result);
    }

    /** Returns the maximum per resource. */
    public ResourceList max(ResourceList other) {
        var result = new TreeMap<>(amounts);
        other.amounts.forEach((resource, amount) -> result.merge(resource, amount, Math::max));
        return new ResourceList(result);
    }
}
