package dev.claimstream.allocation.cell;

import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.Pod;
import dev.claimstream.dra.PodClaim;
import dev.claimstream.dra.ResourceClaim;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;

/** Counts unallocated claims item by item. A shared claim counts with the first item. */
public final class UnallocatedClaimCounter {
    private final ObservedState state;
    private final Predicate<ResourceClaim> isAllocated;
    private final Set<ObjectKey> counted = new TreeSet<>();

    /** The predicate tells whether an existing claim is allocated. */
    UnallocatedClaimCounter(ObservedState state, Predicate<ResourceClaim> isAllocated) {
        this.state = state;
        this.isAllocated = isAllocated;
    }

    /**
     * The claims that an item adds: without claims counted before, with claims yet to be created from its templates.
     */
    public long countFor(ItemId item) {
        return switch (item.kind()) {
            case CLAIM -> countNew(List.of(item.key()));
            case POD -> state.pod(item.key()).map(this::countFor).orElse(0L);
        };
    }

    private long countFor(Pod pod) {
        long missing = pod.resourceClaims().stream()
                .filter(each -> each.source() instanceof PodClaim.ClaimSource.TemplateReference)
                .count();
        return missing + countNew(pod.claims());
    }

    private long countNew(List<ObjectKey> claims) {
        return claims.stream()
                .filter(claim -> state.claim(claim).filter(isAllocated).isEmpty())
                .filter(counted::add)
                .count();
    }
}
