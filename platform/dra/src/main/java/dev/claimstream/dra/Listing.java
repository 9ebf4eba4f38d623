package dev.claimstream.dra;

import java.util.List;

/** Every object that a source has at one time, in its order. */
public record Listing(List<ClusterObject> objects) {
    public Listing {
        objects = List.copyOf(objects);
    }
}
