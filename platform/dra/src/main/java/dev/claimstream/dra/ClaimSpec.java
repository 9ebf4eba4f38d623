package dev.claimstream.dra;

import java.util.List;

/** What a claim asks for; it never changes. */
public record ClaimSpec(List<DeviceRequest> requests, List<DeviceConstraint> constraints, List<ClaimConfig> config) {
    public ClaimSpec {
        requests = List.copyOf(requests);
        constraints = List.copyOf(constraints);
        config = List.copyOf(config);
    }
}
