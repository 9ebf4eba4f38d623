package dev.claimstream.kubernetes;

import dev.claimstream.dra.ClusterObject;
import java.util.Optional;

/**
 * An object as it stands in a cluster.
 *
 * @param version its {@code resourceVersion}; grows with every change of the object
 * @param allocatedBy the field manager that wrote the allocation of a claim; absent where there is none, or where nobody has looked
 */
public record Versioned(ClusterObject object, long version, Optional<String> allocatedBy) {
    public Versioned(ClusterObject object, long version) {
        this(object, version, Optional.empty());
    }
}
