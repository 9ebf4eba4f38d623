package dev.claimstream.dra;

import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * One device that a claim was given.
 *
 * @param request {@code request} or {@code request/alternative}
 * @param shareId present where the device can be shared
 * @param skipNodeOperations those of its slice
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

    /** A device that needs every operation on its node. */
    public DeviceResult(
            String request,
            DeviceId device,
            boolean adminAccess,
            List<Toleration> tolerations,
            List<String> bindingConditions,
            List<String> bindingFailureConditions,
            Optional<String> shareId,
            SortedMap<String, Quantity> consumedCapacity) {
        this(
                request,
                device,
                adminAccess,
                tolerations,
                bindingConditions,
                bindingFailureConditions,
                shareId,
                consumedCapacity,
                List.of());
    }

    /** A device that one claim has for itself. */
    public static DeviceResult of(String request, DeviceId device) {
        return new DeviceResult(
                request, device, false, List.of(), List.of(), List.of(), Optional.empty(), new TreeMap<>());
    }
}
