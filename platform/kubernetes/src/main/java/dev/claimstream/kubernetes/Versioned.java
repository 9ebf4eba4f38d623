package dev.claimstream.kubernetes;

import dev.claimstream.dra.ClusterObject;

/**
 * An object as it stands in a cluster.
 *
 * @param version its {@code resourceVersion}; grows with every change of the object
 */
public record Versioned(ClusterObject object, long version) {}
