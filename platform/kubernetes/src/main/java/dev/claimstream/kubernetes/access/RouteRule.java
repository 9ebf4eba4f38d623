package dev.claimstream.kubernetes.access;

/** The callers that may use a route if Kubernetes decides about access. On loopback every caller may use every route. */
public enum RouteRule {
    /** Every caller, without a token: the route shows nothing of the cluster. */
    OPEN,
    /** Every user with a valid token: the route shows nothing of a namespace. */
    USER,
    /**
     * Users who see the namespace in the path or in the parameter {@code namespace}; without one, users who see all namespaces. Names of
     * other namespaces in the answer are hidden.
     */
    NAMESPACE,
    /** Every user; the answer has only what the user sees. The parameter {@code namespace} must name a visible namespace. */
    VISIBLE,
    /** Users with {@link AccessPermission#AUDIT}. */
    AUDIT,
    /** No user: the route exists on loopback only. */
    LOOPBACK
}
