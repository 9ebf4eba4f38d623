package dev.claimstream.allocation.cell;

/**
 * When the claims of a source are allocated. The names are those of a StorageClass ({@code volumeBindingMode}), which asks the same
 * question of volumes.
 */
public enum AllocationTiming {
    /** At once, whether or not a pod uses the claim: the source may have no pods. */
    IMMEDIATE,
    /** Only while a pod uses the claim, as kube-scheduler does: the source is a Kubernetes cluster. */
    WAIT_FOR_CONSUMER
}
