package dev.claimstream.dra;

import java.util.List;
import java.util.Optional;

/** One request of a claim. */
public sealed interface DeviceRequest {
    /** The name, unique in the claim. */
    String name();

    /**
     * Devices of one sort.
     *
     * @param adminAccess as written: absent is not the same as {@code false} where the feature is off
     */
    record Exactly(String name, RequestSpec spec, Optional<Boolean> adminAccess) implements DeviceRequest {
        /** Whether devices in use may be given. */
        public boolean admin() {
            return adminAccess.orElse(false);
        }
    }

    /** Alternatives in order of preference, at most 8. */
    record FirstAvailable(String name, List<Alternative> alternatives) implements DeviceRequest {
        public FirstAvailable {
            alternatives = List.copyOf(alternatives);
        }
    }

    /** Neither of the two is set: an object of a newer API. */
    record Unsupported(String name) implements DeviceRequest {}

    /** One alternative; its results name it {@code request/alternative}. */
    record Alternative(String name, RequestSpec spec) {}
}
