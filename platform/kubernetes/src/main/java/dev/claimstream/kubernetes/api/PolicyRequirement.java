package dev.claimstream.kubernetes.api;

/** Which admission policy a cluster needs before its claims are published. */
public enum PolicyRequirement {
    /** No policy; {@code doctor} reports what is missing. */
    NONE,
    /**
     * {@code claimstream-single-writer} with its binding and ConfigMap. While it is not enforced, and for a moment after each change, claims
     * are not listed and a running watch of claims ends, so that the claims count as stale and nothing is allocated.
     */
    SINGLE_WRITER
}
