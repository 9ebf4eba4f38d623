package dev.claimstream.dra;

import java.util.List;

/** Parameters that go to a driver with the allocation. */
public record AllocationConfig(Source source, List<String> requests, OpaqueConfig opaque) {
    public AllocationConfig {
        requests = List.copyOf(requests);
    }

    /** Whose parameters they are. */
    public enum Source {
        FROM_CLASS("FromClass"),
        FROM_CLAIM("FromClaim");

        private final String apiName;

        Source(String apiName) {
            this.apiName = apiName;
        }

        /** The name in manifests. */
        public String apiName() {
            return apiName;
        }
    }
}
