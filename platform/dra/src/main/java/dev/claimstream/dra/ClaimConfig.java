package dev.claimstream.dra;

import java.util.List;

/** Parameters of a claim for the devices of some requests, empty for all. */
public record ClaimConfig(List<String> requests, OpaqueConfig opaque) {
    public ClaimConfig {
        requests = List.copyOf(requests);
    }
}
