package dev.claimstream.dra;

import java.util.List;

/** A constraint over the devices of several requests. The name of a request covers all its alternatives. */
public sealed interface DeviceConstraint {
    /** Returns the names of the constrained requests; empty: all. */
    List<String> requests();

    /** All devices have the attribute with one common value. */
    record MatchAttribute(List<String> requests, String attribute) implements DeviceConstraint {
        public MatchAttribute {
            requests = List.copyOf(requests);
        }
    }

    /** All devices have the attribute with pairwise distinct values. */
    record DistinctAttribute(List<String> requests, String attribute) implements DeviceConstraint {
        public DistinctAttribute {
            requests = List.copyOf(requests);
        }
    }

    /** A constraint of a newer API: no known field is set. */
    record UnknownConstraint(List<String> requests) implements DeviceConstraint {
        public UnknownConstraint {
            requests = List.copyOf(requests);
        }
    }
}
