package dev.claimstream.kubernetes.miniature;

import dev.claimstream.dra.Pod;
import dev.claimstream.dra.PodClaim;
import java.util.List;

/** Copies of pods with one field changed. */
final class PodChanges {
    private PodChanges() {}

    static Pod withClaims(Pod pod, List<PodClaim> claims) {
        return pod.toBuilder().resourceClaims(claims).build();
    }
}
