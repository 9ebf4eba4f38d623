package dev.claimstream.dra;

import java.util.List;

/** All objects of a source at one point in time, in the order of the source. */
public record Listing(List<ClusterObject> objects) {
    public Listing {
        objects = List.copyOf(objects);
    }
}
