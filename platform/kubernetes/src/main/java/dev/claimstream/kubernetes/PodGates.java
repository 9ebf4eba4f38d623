package dev.claimstream.kubernetes;

import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.Pod;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.kubernetes.ClaimStatusClient.WriteResult;
import java.util.List;
import java.util.Optional;

/**
 * Reads pods and removes the scheduling gate that keeps them pending until their claims are allocated.
 *
 * <p>Implementations are safe for use by several threads.
 */
public interface PodGates {
    /** Name of the scheduling gate. */
    String GATE = Pod.ALLOCATION_GATE;

    /**
     * Reads a pod and its gate.
     *
     * @return absent if there is no pod of this name
     * @throws ClusterFault if the cluster does not respond
     */
    Optional<GatedPod> readPod(ObjectKey pod);

    /**
     * Returns the pod with this uid from the watch cache, otherwise the pod from the server.
     *
     * <p>The cache contains only pods that have the gate and all their claims. A cached pod may be stale.
     *
     * @throws ClusterFault if the cluster does not respond
     */
    default Optional<GatedPod> readCachedPod(ObjectKey pod, String uid) {
        return readPod(pod);
    }

    /**
     * Lists the pods of a namespace that have the gate.
     *
     * @throws ClusterFault if the cluster does not respond
     */
    List<GatedPod> listGatedPods(String namespace);

    /**
     * Lists all pods of a namespace.
     *
     * @throws ClusterFault if the cluster does not respond
     */
    List<GatedPod> listPods(String namespace);

    /** Returns whether no scheduler can bind the pod before a writer of Claimstream removes its gate. */
    default boolean isBlocked(GatedPod pod) {
        return pod.isGated();
    }

    /**
     * Sets the annotation {@link ClaimStatusClient#DEALLOCATION_ANNOTATION}, which advances the version of the pod.
     *
     * <p>A writer that has read the pod before then gets a conflict when it removes the gate.
     *
     * @param note value of the annotation; different for each deallocation
     */
    WriteResult markDeallocation(GatedPod pod, String note);

    /**
     * Removes the gate of Claimstream in one write, conditional on the version of the pod.
     *
     * <p>Gates of other controllers stay. A pod without the gate stays unchanged.
     *
     * @param node node to which the pod is pinned in the same write by required node affinity; this cannot be undone
     */
    WriteResult removeGate(GatedPod pod, Optional<String> node);

    /** Returns whether a claim is managed by Claimstream. A pod without a managed claim does not need the gate. */
    boolean isManaged(ResourceClaim claim);

    /**
     * A pod with its version and the state of its gate.
     *
     * @param isGated whether the pod has the gate of Claimstream
     */
    record GatedPod(Pod pod, long version, boolean isGated) {}
}
