package dev.claimstream.dra;

/** An object of the cluster that has a say in allocation. */
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
    /** Identity and place. */
    ObjectMeta meta();

    /** Which kind it is. */
    Kind kind();

    /** Where it stands. */
    default ObjectKey key() {
        return meta().key();
    }
}
