package dev.claimstream.dra;

import java.util.List;

/**
 * What the devices of several requests have to do with each other. No names: all requests; the name of a request stands for all its
 * alternatives.
 */
public sealed interface DeviceConstraint {
    /** The requests that it binds, empty for all. */
    List<String> requests();

    /** All devices carry the attribute with one common value. */
    record MatchAttribute(List<String> requests, String attribute) implements DeviceConstraint {
        public MatchAttribute {
            requests = List.copyOf(requests);
        }
    }

    /** All devices carry the attribute, with values that differ in pairs. */
    record DistinctAttribute(List<String> requests, String attribute) implements DeviceConstraint {
        public DistinctAttribute {
            requests = List.copyOf(requests);
        }
    }

    /** Nothing known is set: an object of a newer API. */
    record Unsupported(List<String> requests) implements DeviceConstraint {
        public Unsupported {
            requests = List.copyOf(requests);
        }
    }
}
