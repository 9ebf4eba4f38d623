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
public final class Unserved {
    private final State state;
    private final Predicate<ResourceClaim> isGiven;
    private final Set<ObjectKey> counted = new TreeSet<>();

    /** The predicate tells whether an existing claim is allocated. */
    Unserved(State state, Predicate<ResourceClaim> isGiven) {
        this.state = state;
        this.isGiven = isGiven;
    }

    /**
     * The claims that an item adds: without claims counted before, with claims yet to be created from its templates.
     */
    public long addedBy(ItemId item) {
        return switch (item.sort()) {
            case CLAIM -> added(List.of(item.key()));
            case POD -> state.pod(item.key()).map(this::addedBy).orElse(0L);
        };
    }

    private long addedBy(Pod pod) {
        long unmade = pod.resourceClaims().stream()
                .filter(each -> each.source() instanceof PodClaim.Source.FromTemplate)
                .count();
        return unmade + added(pod.claims());
    }

    private long added(List<ObjectKey> claims) {
        return claims.stream()
                .filter(claim -> state.claim(claim).filter(isGiven).isEmpty())
                .filter(counted::add)
                .count();
    }
}
