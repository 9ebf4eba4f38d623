package dev.claimstream.dra;

import java.util.List;
import java.util.Optional;
import java.util.SortedMap;

/**
 * A device in an allocation ({@code DeviceRequestAllocationResult}).
 *
 * @param request {@code request} or {@code request/alternative}
 * @param shareId present if the device allows multiple allocations
 * @param skipNodeOperations a copy of the slice's field
 */
public record DeviceResult(
        String request,
        DeviceId device,
        boolean adminAccess,
        List<Toleration> tolerations,
        List<String> bindingConditions,
        List<String> bindingFailureConditions,
        Optional<String> shareId,
        SortedMap<String, Quantity> consumedCapacity,
        List<String> skipNodeOperations) {
    public DeviceResult {
        tolerations = List.copyOf(tolerations);
        bindingConditions = List.copyOf(bindingConditions);
        bindingFailureConditions = List.copyOf(bindingFailureConditions);
        consumedCapacity = Copies.sorted(consumedCapacity);
        skipNodeOperations = List.copyOf(skipNodeOperations);
    }

    /** Returns a builder of a result for a device that the claim uses exclusively. */
    public static DeviceResultBuilder builder(String request, DeviceId device) {
        return new DeviceResultBuilder(request, device);
    }

    /** Returns a builder with the components of this record. */
    public DeviceResultBuilder toBuilder() {
        return builder(request, device)
                .adminAccess(adminAccess)
                .tolerations(tolerations)
                .bindingConditions(bindingConditions)
                .bindingFailureConditions(bindingFailureConditions)
                .shareId(shareId)
                .consumedCapacity(consumedCapacity)
                .skipNodeOperations(skipNodeOperations);
    }

    /** Creates a result for a device that the claim uses exclusively. */
    public static DeviceResult of(String request, DeviceId device) {
        return DeviceResult.builder(request, device).build();
    }
}
