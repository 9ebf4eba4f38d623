package dev.claimstream.dra;

import java.util.List;
import java.util.Optional;

/** A ResourceClaim with spec and status. */
public record ResourceClaim(
        ObjectMeta meta, ClaimSpec spec, Optional<Allocation> allocation, List<ClaimConsumer> reservedFor)
        implements ClusterObject {
    public ResourceClaim {
        reservedFor = List.copyOf(reservedFor);
    }

    @Override
    public Kind kind() {
        return Kind.RESOURCE_CLAIM;
    }
}
