package dev.claimstream.allocation.solver;

import dev.claimstream.dra.Device;
import dev.claimstream.dra.NodeAllocatable;
import dev.claimstream.dra.NodeAllocatable.ResourceMapping;
import dev.claimstream.dra.Quantity;
import dev.claimstream.dra.ResourceList;
import java.math.BigDecimal;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Sums the node resources that the devices of a pod's claims consume in addition to the pod's own requests. Amounts are
 * added exactly; only the sum is rounded up.
 *
 * <p>Source: {@code nodeallocatabledynamicresources.go} of kube-scheduler 1.37.2. Not thread-safe.
 */
public final class NodeDemand {
    private final SortedMap<String, BigDecimal> amounts = new TreeMap<>();

    /** Returns whether a device maps to a resource of its node, so that only one pod can use it. */
    public static boolean isMapped(Device device) {
        return device.nodeAllocatable().values().stream()
                .anyMatch(allocatable -> allocatable.mapping().isPresent());
    }

    /**
     * Returns the capacity that determines the consumption of a device whose capacities are not consumed: it cannot be
     * shared.
     */
    public static Optional<String> unresolvedCapacity(Device device, SortedMap<String, Quantity> consumed) {
        return device.nodeAllocatable().values().stream()
                .flatMap(allocatable -> allocatable.mapping().stream())
                .filter(mapping -> mapping instanceof ResourceMapping.CapacityMapping && consumed.isEmpty())
                .map(mapping -> ((ResourceMapping.CapacityMapping) mapping).capacity())
                .findFirst();
    }

    /**
     * Adds one result of an allocation.
     *
     * @param consumed consumed capacity of a shared device
     * @param containers number of containers of the pod that use the claim
     */
    public void add(Device device, SortedMap<String, Quantity> consumed, int containers) {
        device.nodeAllocatable().forEach((resource, allocatable) -> {
            BigDecimal amount = mapped(allocatable, consumed)
                    .add(allocatable.perPod().map(Quantity::amount).orElse(BigDecimal.ZERO))
                    .add(allocatable
                            .perContainer()
                            .map(each -> each.amount().multiply(BigDecimal.valueOf(containers)))
                            .orElse(BigDecimal.ZERO));
            amounts.merge(resource, amount, BigDecimal::add);
        });
    }

    private static BigDecimal mapped(NodeAllocatable allocatable, SortedMap<String, Quantity> consumed) {
        if (allocatable.mapping().isEmpty()) {
            return BigDecimal.ZERO;
        }
        return switch (allocatable.mapping().get()) {
            case ResourceMapping.DeviceMapping(Quantity multiplier) -> multiplier.amount();
            case ResourceMapping.CapacityMapping(String capacity, Quantity multiplier) ->
                consumed.containsKey(capacity)
                        ? consumed.get(capacity).amount().multiply(multiplier.amount())
                        : BigDecimal.ZERO;
        };
    }

    /** Returns the sum, in the units of {@link ResourceList}. */
    public ResourceList amounts() {
        var units = new TreeMap<String, Long>();
        amounts.forEach((resource, amount) ->
                units.put(resource, ResourceList.units(resource, Quantity.of(amount, Quantity.Notation.DECIMAL_SI))));
        return new ResourceList(units);
    }
}
