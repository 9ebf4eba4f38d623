package dev.claimstream.dra;

import java.util.Arrays;
import java.util.Optional;

/**
 * A Kubernetes feature gate that affects which claims can be allocated, or the content of an allocation.
 *
 * <p>Defaults are those of each release. The behaviour behind a gate is that of 1.37 for both releases.
 *
 * <p>Source: {@code pkg/features/kube_features.go} of Kubernetes 1.36 and 1.37.
 */
public enum Feature {
    /** Requests with admin access, which ignore existing allocations. */
    ADMIN_ACCESS("DRAAdminAccess", KubernetesVersion.V1_36),
    /** Devices with conditions that must be true before pods are bound. */
    DEVICE_BINDING_CONDITIONS("DRADeviceBindingConditions", true, true),
    /** Groups of devices that may be allocated together. */
    DEVICE_COMPATIBILITY_GROUPS("DRADeviceCompatibilityGroups", false, false),
    /** Device taints and tolerations. */
    DEVICE_TAINTS("DRADeviceTaints", true, true),
    /** DeviceTaintRule objects. No effect without {@link #DEVICE_TAINTS}. */
    DEVICE_TAINT_RULES("DRADeviceTaintRules", false, true),
    /** Attributes that a request computes. */
    DERIVED_ATTRIBUTES("DRADerivedAttributes", false, false),
    /** Devices that several claims share by capacity. */
    CONSUMABLE_CAPACITY("DRAConsumableCapacity", true, true),
    /** Pods that request devices by the name of an extended resource. */
    EXTENDED_RESOURCE("DRAExtendedResource", KubernetesVersion.V1_37),
    /** Capacity ranges with fractional numbers. */
    FRACTIONAL_CAPACITY_RANGE("DRAFractionalCapacityRange", false, true),
    /** Attributes with lists of values. */
    LIST_TYPE_ATTRIBUTES("DRAListTypeAttributes", false, false),
    /** Devices that consume node resources such as cpu and memory. */
    NODE_ALLOCATABLE_RESOURCES("DRANodeAllocatableResources", false, false),
    /** Devices for which the kubelet can skip driver operations. */
    OPTIONAL_NODE_OPERATIONS("DRAOptionalNodeOperations", false, false),
    /** Devices that consume counters shared in their pool. */
    PARTITIONABLE_DEVICES("DRAPartitionableDevices", true, true),
    /** Requests with alternatives ({@code firstAvailable}). */
    PRIORITIZED_LIST("DRAPrioritizedList", KubernetesVersion.V1_37),
    /** Device status in a claim's status, written by drivers. Binding conditions require it. */
    RESOURCE_CLAIM_DEVICE_STATUS("DRAResourceClaimDeviceStatus", KubernetesVersion.V1_37),
    /** Claims of pod groups. */
    WORKLOAD_RESOURCE_CLAIMS("DRAWorkloadResourceClaims", false, false);

    private final String gate;
    private final boolean in136;
    private final boolean in137;
    private final Optional<KubernetesVersion> lockedFrom;

    Feature(String gate, boolean in136, boolean in137) {
        this.gate = gate;
        this.in136 = in136;
        this.in137 = in137;
        this.lockedFrom = Optional.empty();
    }

    /** A gate that is on in both releases, and locked from this release on. */
    Feature(String gate, KubernetesVersion lockedFrom) {
        this.gate = gate;
        this.in136 = true;
        this.in137 = true;
        this.lockedFrom = Optional.of(lockedFrom);
    }

    /** Returns the name in Kubernetes, for example {@code DRAConsumableCapacity}. */
    public String gate() {
        return gate;
    }

    /** Returns whether the gate is on by default. */
    public boolean isEnabledByDefault(KubernetesVersion version) {
        return switch (version) {
            case V1_36 -> in136;
            case V1_37 -> in137;
        };
    }

    /** Returns whether a cluster of this release refuses to start with a value other than the default. */
    public boolean isLocked(KubernetesVersion version) {
        return lockedFrom.filter(from -> version.compareTo(from) >= 0).isPresent();
    }

    /** Returns the feature of a gate name. */
    public static Optional<Feature> ofGate(String gate) {
        return Arrays.stream(values()).filter(each -> each.gate.equals(gate)).findFirst();
    }
}
