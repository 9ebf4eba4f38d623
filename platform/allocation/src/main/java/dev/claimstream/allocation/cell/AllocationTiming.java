package dev.claimstream.allocation.cell;

/** When the claims of a source are allocated. Named after {@code volumeBindingMode} of StorageClass. */
public enum AllocationTiming {
    /** At once, with or without a pod. For sources that may have no pods. */
    IMMEDIATE,
    /** Only while a pod uses the claim, as in kube-scheduler. For Kubernetes clusters. */
    WAIT_FOR_CONSUMER
}
