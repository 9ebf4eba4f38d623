package dev.claimstream.kubernetes.api;

/** Which claims of a cluster are managed by Claimstream. */
public enum ApiScope {
    /** Claims of the classes in the ConfigMap {@code claimstream/claimstream-managed}. */
    CONFIGURED,
    /** All claims. The operator has to ensure that no other scheduler allocates devices. */
    ALL
}
