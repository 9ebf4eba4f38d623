package dev.claimstream.allocation.cell;

import dev.claimstream.dra.DeviceRequest;
import dev.claimstream.dra.ResourceClaim;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;

/** Whose business a claim is, by the classes that it asks for. A class of which nothing is known is nobody's, and is waited for. */
final class Ours {
    private Ours() {}

    /** Whether it asks for classes of others alone. */
    static boolean isForOthers(State state, ResourceClaim claim) {
        SortedSet<String> classes = classes(claim);
        return !classes.isEmpty() && classes.stream().allMatch(state::isOfOthers);
    }

    /** Why nobody can allocate it, where it asks for classes of ours and of others. */
    static Optional<String> mixed(State state, ResourceClaim claim) {
        SortedSet<String> classes = classes(claim);
        Optional<String> theirs = classes.stream().filter(state::isOfOthers).findFirst();
        return theirs.filter(found -> !isForOthers(state, claim))
                .map(found ->
                        "claim %s asks for class %s, which is not ours, beside %s: nobody can allocate both, ask for them in two claims"
                                .formatted(
                                        claim.key(),
                                        found,
                                        classes.stream()
                                                .filter(each -> !state.isOfOthers(each))
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
                case DeviceRequest.Unsupported _ -> classes.add("");
            }
        }
        return classes;
    }
}
