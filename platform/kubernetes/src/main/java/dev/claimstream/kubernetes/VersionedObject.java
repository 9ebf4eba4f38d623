package dev.claimstream.kubernetes;

import dev.claimstream.dra.ClusterObject;
import java.util.Optional;

/**
 * An object with its version.
 *
 * @param version its {@code resourceVersion}, which grows with every change of the object
 * @param allocatedBy field manager of a claim's allocation; absent without an allocation, or if the source does not report field managers
 */
public record VersionedObject(ClusterObject object, long version, Optional<String> allocatedBy) {
    public VersionedObject(ClusterObject object, long version) {
        this(object, version, Optional.empty());
    }
}
