package dev.claimstream.kubernetes;

import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.Pod;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.kubernetes.ClaimStatus.Answer;
import java.util.List;
import java.util.Optional;

/** The scheduling gate by which pods wait until their claims are allocated. */
public interface PodGates {
    /** The name of the gate. */
    String GATE = Pod.ALLOCATION_GATE;

    /**
     * A pod with its gate.
     *
     * @throws ClusterFault where the cluster does not answer
     */
    Optional<GatedPod> readPod(ObjectKey pod);

    /**
     * The pod of this uid as it stood a moment ago, if it is known, has its gate and all its claims; else whatever stands there.
     *
     * @throws ClusterFault where the cluster does not answer
     */
    default Optional<GatedPod> recallPod(ObjectKey pod, String uid) {
        return readPod(pod);
    }

    /**
     * The pods of a namespace that have the gate.
     *
     * @throws ClusterFault where the cluster does not answer
     */
    List<GatedPod> gatedIn(String namespace);

    /**
     * Every pod of a namespace.
     *
     * @throws ClusterFault where the cluster does not answer
     */
    List<GatedPod> podsIn(String namespace);

    /** Whether nothing places the pod until a writer of Claimstream lets it. */
    default boolean isHeld(GatedPod pod) {
        return pod.isGated();
    }

    /**
     * Gives the pod another version, by the annotation {@link ClaimStatus#DEALLOCATION}: a writer that has read the pod before does not open
     * its gate any more.
     *
     * @param note the value of the annotation, another one for each deallocation
     */
    Answer touch(GatedPod pod, String note);

    /**
     * Takes the gate away, once, for this pod at the version that was read; the gates of others stay. A pod without it stays as it is.
     *
     * @param node to which the pod is bound in the same write; it can never be moved from there
     */
    Answer open(GatedPod pod, Optional<String> node);

    /** Whether a claim is ours to allocate; a pod that has no such claim need not wait for us. */
    boolean isOurs(ResourceClaim claim);

    /**
     * A pod, as far as its gate goes.
     *
     * @param isGated whether our gate is on it
     */
    record GatedPod(Pod pod, long version, boolean isGated) {}
}
