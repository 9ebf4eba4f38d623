package dev.claimstream.dra;

import java.util.List;
import java.util.Optional;

/** A request of a claim. */
public sealed interface DeviceRequest {
    /** Returns the name, unique in the claim. */
    String name();

    /**
     * A request for one kind of device ({@code exactly}).
     *
     * @param adminAccess as written: absent differs from {@code false} if the feature is off
     */
    record Exactly(String name, RequestSpec spec, Optional<Boolean> adminAccess) implements DeviceRequest {
        /** Returns whether devices in use may be allocated. */
        public boolean admin() {
            return adminAccess.orElse(false);
        }
    }

    /** A request with at most 8 alternatives in order of preference ({@code firstAvailable}). */
    record FirstAvailable(String name, List<Alternative> alternatives) implements DeviceRequest {
        public FirstAvailable {
            alternatives = List.copyOf(alternatives);
        }
    }

    /** A request of a newer API: neither {@code exactly} nor {@code firstAvailable} is set. */
    record UnknownRequest(String name) implements DeviceRequest {}

    /** An alternative of a request ({@code DeviceSubRequest}). Results name it {@code request/alternative}. */
    record Alternative(String name, RequestSpec spec) {}
}
