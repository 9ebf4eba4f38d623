package dev.claimstream.dra;

import java.util.List;

/** The immutable specification of a claim ({@code spec.devices}). */
public record ClaimSpec(List<DeviceRequest> requests, List<DeviceConstraint> constraints, List<ClaimConfig> config) {
    public ClaimSpec {
        requests = List.copyOf(requests);
        constraints = List.copyOf(constraints);
        config = List.copyOf(config);
    }
}
