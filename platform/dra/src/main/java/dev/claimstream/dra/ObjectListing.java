package dev.claimstream.dra;

import java.util.List;

/** All objects of a source at one point in time, in the order of the source. */
public record ObjectListing(List<ClusterObject> objects) {
    public ObjectListing {
        objects = List.copyOf(objects);
    }
}
