package dev.claimstream.dra;

import java.util.Arrays;
import java.util.Optional;

/**
 * A feature gate of Kubernetes that goes with dynamic resource allocation and changes nothing that is decided here. It can be set, so
 * that the gates of a cluster can be handed over as they are.
 *
 * <p>Source: {@code pkg/features/kube_features.go} of Kubernetes 1.36 and 1.37.
 */
public enum GateWithoutEffect {
    /** All of it; on, and locked, in every release that we know. */
    DYNAMIC_RESOURCE_ALLOCATION("DynamicResourceAllocation", true),
    /** kube-scheduler gives a node up after ten seconds; here steps are counted. */
    SCHEDULER_FILTER_TIMEOUT("DRASchedulerFilterTimeout", false),
    /** Who may write which part of a claim's status; the API server asks. */
    GRANULAR_STATUS_AUTHORIZATION("DRAResourceClaimGranularStatusAuthorization", false),
    /** A controller counts the devices of pools on request. */
    RESOURCE_POOL_STATUS("DRAResourcePoolStatus", false),
    /** It counts them by sorts of partitions, too. */
    PARTITIONABLE_DEVICES_TYPE("DRAPartitionableDevicesType", false),
    /** The kubelet tells monitoring of claims. */
    KUBELET_POD_RESOURCES("KubeletPodResourcesDynamicResources", true),
    /** The kubelet writes into pods how their devices do. */
    RESOURCE_HEALTH_STATUS("ResourceHealthStatus", false),
    /** With a text from the driver. */
    RESOURCE_HEALTH_STATUS_MESSAGE("ResourceHealthStatusMessage", false),
    /** Groups of pods; their claims have a gate of their own, {@link Feature#WORKLOAD_RESOURCE_CLAIMS}. */
    GENERIC_WORKLOAD("GenericWorkload", false),
    /** When kube-scheduler looks at a waiting pod again. */
    SCHEDULER_PRE_QUEUEING_HINTS("SchedulerPreQueueingHints", false);

    private final String gate;
    private final boolean isLocked;

    GateWithoutEffect(String gate, boolean isLocked) {
        this.gate = gate;
        this.isLocked = isLocked;
    }

    /** The name in Kubernetes, for example {@code DRASchedulerFilterTimeout}. */
    public String gate() {
        return gate;
    }

    /** Whether a cluster of 1.36 or 1.37 refuses to start with it off. */
    public boolean isLocked() {
        return isLocked;
    }

    /** The one of this name. */
    public static Optional<GateWithoutEffect> ofGate(String gate) {
        return Arrays.stream(values()).filter(each -> each.gate.equals(gate)).findFirst();
    }
}
