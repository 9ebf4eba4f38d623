package dev.claimstream.allocation.router;

import dev.claimstream.dra.DeviceRequest;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.ResourceClaim;
import java.util.List;

/** Keeps the estimated free devices of each cell between its reports. */
final class FreeDeviceEstimate {
    private final RouterStepBuilder step;

    FreeDeviceEstimate(RouterStepBuilder step) {
        this.step = step;
    }

    /** Subtracts the requested devices of an item from the free devices of its cell, until the next report of the cell. */
    void reserve(int cell, List<ObjectKey> claims) {
        long free = step.state.freeDevices(cell);
        if (free != Long.MAX_VALUE) {
            long wanted = claims.stream()
                    .flatMap(key -> step.state.clusterState().claim(key).stream())
                    .mapToLong(FreeDeviceEstimate::requested)
                    .sum();
            step.put(new RouterRow.FreeDevicesRow(cell, Math.max(0, free - wanted)));
        }
    }

    /** Returns how many devices a claim requests; 1 per request if the number is not fixed. */
    private static long requested(ResourceClaim claim) {
        return claim.spec().requests().stream()
                .mapToLong(request -> switch (request) {
                    case DeviceRequest.Exactly exactly ->
                        Math.max(1, exactly.spec().count());
                    case DeviceRequest.FirstAvailable first -> 1;
                    case DeviceRequest.UnknownRequest unsupported -> 1;
                })
                .sum();
    }
}
