package dev.claimstream.allocation.cell;

import dev.claimstream.dra.ClusterObject;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.ObjectKey;

/** What comes in. Any of them may be repeated, late, or out of order with those of other objects. */
public sealed interface Observation {
    /** An object stands as given. */
    record Seen(Stamp stamp, ClusterObject object) implements Observation {}

    /** An object is gone. */
    record Gone(Stamp stamp, Kind kind, ObjectKey key, String uid) implements Observation {}

    /**
     * On one partition of its topic, a source has shown every object of a kind that it has in this epoch. It counts when it has
     * arrived from all partitions.
     */
    record Listed(Stamp stamp, Kind kind, int partition, int partitions) implements Observation {}

    /** A source's view of a kind is known to be old until it lists again. */
    record Stale(Stamp stamp, Kind kind) implements Observation {}

    /** A node is not heard of any more, or again. */
    record Heard(Stamp stamp, String node, boolean silent) implements Observation {}

    /** From now on these settings count. */
    record Configured(Settings settings) implements Observation {}

    /**
     * What we have answered before our state was lost; told before anything else when a cell is rebuilt. A grant holds its devices again,
     * a release frees them, and numbers go on above it.
     */
    record Restored(Decision decision) implements Observation {}

    /** Somebody wants to know when everything before this is decided; on every partition, so that nothing is overtaken. */
    record Probe(String id, int partition, int partitions) implements Observation {}
}
