package dev.claimstream.kubernetes.miniature;

import dev.claimstream.dra.Pod;
import dev.claimstream.dra.PodClaim;
import java.util.List;

/** Copies of pods with one field changed. */
final class PodChanges {
    private PodChanges() {}

    static Pod withClaims(Pod pod, List<PodClaim> claims) {
        return new Pod(
                pod.meta(),
                pod.nodeName(),
                pod.nodeSelector(),
                pod.requiredAffinity(),
                pod.tolerations(),
                pod.priority(),
                pod.preempts(),
                claims,
                pod.containerResources(),
                pod.requests(),
                pod.spare(),
                pod.podGroup(),
                pod.schedulingGates(),
                pod.topology(),
                pod.finished(),
                pod.phase());
    }
}
