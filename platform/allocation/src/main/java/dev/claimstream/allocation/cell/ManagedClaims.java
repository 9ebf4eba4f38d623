package dev.claimstream.allocation.cell;

import dev.claimstream.dra.DeviceRequest;
import dev.claimstream.dra.ResourceClaim;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;

/** Tells managed from unmanaged claims by their DeviceClasses. An unknown class is neither; the claim stays pending. */
final class ManagedClaims {
    private ManagedClaims() {}

    /** Whether all classes of the claim are unmanaged. */
    static boolean isUnmanaged(ObservedState state, ResourceClaim claim) {
        SortedSet<String> classes = classes(claim);
        return !classes.isEmpty() && classes.stream().allMatch(state.classIndex()::isUnmanaged);
    }

    /** A message if the claim mixes managed and unmanaged classes; no allocator can serve it. */
    static Optional<String> mixedClassesMessage(ObservedState state, ResourceClaim claim) {
        SortedSet<String> classes = classes(claim);
        Optional<String> unmanaged =
                classes.stream().filter(state.classIndex()::isUnmanaged).findFirst();
        return unmanaged
                .filter(found -> !isUnmanaged(state, claim))
                .map(found ->
                        "claim %s requests the unmanaged class %s and the managed class %s: no allocator can allocate both, request them in two claims"
                                .formatted(
                                        claim.key(),
                                        found,
                                        classes.stream()
                                                .filter(each ->
                                                        !state.classIndex().isUnmanaged(each))
                                                .findFirst()
                                                .orElseThrow()));
    }

    private static SortedSet<String> classes(ResourceClaim claim) {
        SortedSet<String> classes = new TreeSet<>();
        for (DeviceRequest request : claim.spec().requests()) {
            switch (request) {
                case DeviceRequest.Exactly exactly -> classes.add(exactly.spec().deviceClassName());
                case DeviceRequest.FirstAvailable first ->
                    first.alternatives().forEach(each -> classes.add(each.spec().deviceClassName()));
                case DeviceRequest.UnknownRequest _ -> classes.add("");
            }
        }
        return classes;
    }
}
