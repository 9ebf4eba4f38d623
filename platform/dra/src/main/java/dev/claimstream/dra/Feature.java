package dev.claimstream.dra;

import java.util.Arrays;
import java.util.Optional;

/**
 * A feature gate of Kubernetes that changes which claims fit or what an allocation says. The defaults are those of the two
 * releases; the behaviour behind a gate is that of 1.37 in both.
 *
 * <p>Source: {@code pkg/features/kube_features.go} of Kubernetes 1.36 and 1.37.
 */
public enum Feature {
    /** Requests that look past other holders. */
    ADMIN_ACCESS("DRAAdminAccess", KubernetesVersion.V1_36),
    /** Devices that must be prepared before pods are bound. */
    DEVICE_BINDING_CONDITIONS("DRADeviceBindingConditions", true, true),
    /** Groups of devices that may be allocated side by side. */
    DEVICE_COMPATIBILITY_GROUPS("DRADeviceCompatibilityGroups", false, false),
    /** Taints of devices. */
    DEVICE_TAINTS("DRADeviceTaints", true, true),
    /** Rules that taint devices; without {@link #DEVICE_TAINTS} they change nothing. */
    DEVICE_TAINT_RULES("DRADeviceTaintRules", false, true),
    /** Attributes that a request computes. */
    DERIVED_ATTRIBUTES("DRADerivedAttributes", false, false),
    /** Devices that several claims share by capacity. */
    CONSUMABLE_CAPACITY("DRAConsumableCapacity", true, true),
    /** Pods that ask for devices by the name of an extended resource. */
    EXTENDED_RESOURCE("DRAExtendedResource", KubernetesVersion.V1_37),
    /** Ranges of capacity that are not whole numbers. */
    FRACTIONAL_CAPACITY_RANGE("DRAFractionalCapacityRange", false, true),
    /** Attributes with several values. */
    LIST_TYPE_ATTRIBUTES("DRAListTypeAttributes", false, false),
    /** Devices that also take cpu or memory of their node. */
    NODE_ALLOCATABLE_RESOURCES("DRANodeAllocatableResources", false, false),
    /** Devices that need not be prepared by a driver on the node. */
    OPTIONAL_NODE_OPERATIONS("DRAOptionalNodeOperations", false, false),
    /** Devices that take counters which they share with others of their pool. */
    PARTITIONABLE_DEVICES("DRAPartitionableDevices", true, true),
    /** Requests with alternatives. */
    PRIORITIZED_LIST("DRAPrioritizedList", KubernetesVersion.V1_37),
    /** Drivers report on devices in a claim's status; binding conditions need it. */
    RESOURCE_CLAIM_DEVICE_STATUS("DRAResourceClaimDeviceStatus", KubernetesVersion.V1_37),
    /** Claims that belong to a group of pods. */
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

    /** On in both releases, and nobody can turn it off from this one on. */
    Feature(String gate, KubernetesVersion lockedFrom) {
        this.gate = gate;
        this.in136 = true;
        this.in137 = true;
        this.lockedFrom = Optional.of(lockedFrom);
    }

    /** The name in Kubernetes, for example {@code DRAConsumableCapacity}. */
    public String gate() {
        return gate;
    }

    /** Whether the gate is on unless somebody says otherwise. */
    public boolean isDefault(KubernetesVersion version) {
        return switch (version) {
            case V1_36 -> in136;
            case V1_37 -> in137;
        };
    }

    /** Whether a cluster of this release refuses to start with anything but the default. */
    public boolean isLocked(KubernetesVersion version) {
        return lockedFrom.filter(from -> version.compareTo(from) >= 0).isPresent();
    }

    /** The feature of this gate. */
    public static Optional<Feature> ofGate(String gate) {
        return Arrays.stream(values()).filter(each -> each.gate.equals(gate)).findFirst();
    }
}
