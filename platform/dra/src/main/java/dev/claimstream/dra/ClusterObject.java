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
    /** Returns the metadata. */
    ObjectMeta meta();

    /** Returns the kind. */
    Kind kind();

    /** Returns the namespace and name. */
    default ObjectKey key() {
        return meta().key();
    }
}
