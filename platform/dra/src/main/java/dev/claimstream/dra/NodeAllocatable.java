package dev.claimstream.dra;

import java.util.Optional;

/**
 * The amount of a node resource that a device consumes, mapped or as overhead. At least one component is present.
 *
 * <p>Source: {@code NodeAllocatableResource} of {@code resource.k8s.io/v1}, KEP-5517. In 1.36 it is {@code NodeAllocatableResourceMapping},
 * which has no overhead.
 *
 * @param mapping present if the device itself is part of the resource; counted once per claim, for any number of consumers
 * @param perPod overhead per pod that uses the claim
 * @param perContainer overhead per container that uses the claim
 */
public record NodeAllocatable(
        Optional<ResourceMapping> mapping, Optional<Quantity> perPod, Optional<Quantity> perContainer) {
    /** Creates a value with a mapping and without overhead. */
    public static NodeAllocatable of(ResourceMapping mapping) {
        return new NodeAllocatable(Optional.of(mapping), Optional.empty(), Optional.empty());
    }

    /** How an allocated device maps to an amount of the resource. */
    public sealed interface ResourceMapping {
        /** An amount per consumed unit of a capacity. */
        record CapacityMapping(String capacity, Quantity multiplier) implements ResourceMapping {}

        /** An amount per device. */
        record DeviceMapping(Quantity multiplier) implements ResourceMapping {}
    }
}
