package dev.claimstream.dra;

import java.util.Optional;

/**
 * What a device takes of a resource that its node has for pods ({@code NodeAllocatableResource} of {@code resource.k8s.io/v1}, from
 * KEP-5517; in 1.36 {@code NodeAllocatableResourceMapping}, which has no overhead). At least one of the three is there.
 *
 * @param mapping where the device is itself a part of that resource: counted once per claim, whoever uses it
 * @param perPod taken by every pod that uses the claim
 * @param perContainer taken by every container that uses the claim
 */
public record NodeAllocatable(Optional<Mapping> mapping, Optional<Quantity> perPod, Optional<Quantity> perContainer) {
    /** A device that is a part of the resource, and nothing beside that. */
    public static NodeAllocatable of(Mapping mapping) {
        return new NodeAllocatable(Optional.of(mapping), Optional.empty(), Optional.empty());
    }

    /** How an allocated device becomes an amount of the resource. */
    public sealed interface Mapping {
        /** So much per unit that is consumed of a capacity. */
        record OfCapacity(String capacity, Quantity multiplier) implements Mapping {}

        /** So much per device. */
        record OfDevice(Quantity multiplier) implements Mapping {}
    }
}
