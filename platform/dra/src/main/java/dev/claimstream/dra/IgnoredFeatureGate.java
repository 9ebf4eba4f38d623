package dev.claimstream.dra;

import java.util.Arrays;
import java.util.Optional;

/**
 * A feature gate for dynamic resource allocation that does not affect decisions of Claimstream.
 *
 * <p>It can be set, so that the gates of a cluster can be copied without changes.
 *
 * <p>Source: {@code pkg/features/kube_features.go} of Kubernetes 1.36 and 1.37.
 */
public enum IgnoredFeatureGate {
    /** Dynamic resource allocation as a whole; on and locked in every supported release. */
    DYNAMIC_RESOURCE_ALLOCATION("DynamicResourceAllocation", true),
    /** Time limit of kube-scheduler per node, 10 seconds. Claimstream counts search steps instead. */
    SCHEDULER_FILTER_TIMEOUT("DRASchedulerFilterTimeout", false),
    /** Authorization by part of a claim's status, checked by the API server. */
    GRANULAR_STATUS_AUTHORIZATION("DRAResourceClaimGranularStatusAuthorization", false),
    /** Device counts of pools on request, computed by a controller. */
    RESOURCE_POOL_STATUS("DRAResourcePoolStatus", false),
    /** Device counts by partition type, in addition. */
    PARTITIONABLE_DEVICES_TYPE("DRAPartitionableDevicesType", false),
    /** Claims in the kubelet's pod resources API for monitoring. */
    KUBELET_POD_RESOURCES("KubeletPodResourcesDynamicResources", true),
    /** Device health in the pod status, written by the kubelet. */
    RESOURCE_HEALTH_STATUS("ResourceHealthStatus", false),
    /** A driver message in addition to the health. */
    RESOURCE_HEALTH_STATUS_MESSAGE("ResourceHealthStatusMessage", false),
    /** Pod groups. Their claims have a separate gate, {@link Feature#WORKLOAD_RESOURCE_CLAIMS}. */
    GENERIC_WORKLOAD("GenericWorkload", false),
    /** Retry conditions of pending pods in kube-scheduler. */
    SCHEDULER_PRE_QUEUEING_HINTS("SchedulerPreQueueingHints", false);

    private final String gate;
    private final boolean isLocked;

    IgnoredFeatureGate(String gate, boolean isLocked) {
        this.gate = gate;
        this.isLocked = isLocked;
    }

    /** Returns the name in Kubernetes, for example {@code DRASchedulerFilterTimeout}. */
    public String gate() {
        return gate;
    }

    /** Returns whether a cluster of 1.36 or 1.37 refuses to start with the gate off. */
    public boolean isLocked() {
        return isLocked;
    }

    /** Returns the gate with this name. */
    public static Optional<IgnoredFeatureGate> ofGate(String gate) {
        return Arrays.stream(values()).filter(each -> each.gate.equals(gate)).findFirst();
    }
}
