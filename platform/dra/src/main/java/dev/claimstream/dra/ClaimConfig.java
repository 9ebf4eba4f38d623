package dev.claimstream.dra;

import java.util.List;

/**
 * Driver parameters of a claim ({@code spec.devices.config}).
 *
 * @param requests the requests that the parameters apply to; empty: all
 */
public record ClaimConfig(List<String> requests, OpaqueConfig opaque) {
    public ClaimConfig {
        requests = List.copyOf(requests);
    }
}
