package dev.claimstream.kubernetes.api;

/** Which claims of a cluster are ours to allocate. */
public enum ApiScope {
    /** Those of the classes that the ConfigMap {@code claimstream-managed} in the namespace {@code claimstream} names. */
    CONFIGURED,
    /** All; somebody has to see to it that nobody else allocates. */
    ALL
}
