package dev.claimstream.dra;

import java.util.List;

/**
 * Driver parameters in an allocation ({@code allocation.devices.config}).
 *
 * @param requests the requests that the parameters apply to; empty: all
 */
public record AllocationConfig(AllocationConfigSource source, List<String> requests, OpaqueConfig opaque) {
    public AllocationConfig {
        requests = List.copyOf(requests);
    }

    /** The origin of the parameters ({@code AllocationConfigSource}). */
    public enum AllocationConfigSource {
        FROM_CLASS("FromClass"),
        FROM_CLAIM("FromClaim");

        private final String apiName;

        AllocationConfigSource(String apiName) {
            this.apiName = apiName;
        }

        /** Returns the name in the Kubernetes API. */
        public String apiName() {
            return apiName;
        }
    }
}
