package dev.claimstream.dra;

/** A Kubernetes object that influences allocation. */
public sealed interface ClusterObject
        permits ResourceSlice,
                DeviceClass,
                DeviceTaintRule,
                Node,
                Namespace,
                ResourceClaim,
                ResourceClaimTemplate,
                Pod,
                PodGroup {
    ObjectMeta meta();

    Kind kind();

    /** Returns the namespace and name; the namespace is empty for objects of the cluster. */
    default ObjectKey key() {
        return meta().key();
    }
}
