package dev.claimstream.kubernetes.access;

import java.util.Optional;

/** Authenticates tokens and reviews permissions. Safe for use by several threads. */
public interface AccessReviewer {
    /**
     * Returns the user of a token; empty if the token is not valid, or not valid any more.
     *
     * @throws dev.claimstream.kubernetes.ClusterFault if the API server does not answer
     */
    Optional<UserIdentity> authenticate(String token);

    /**
     * Returns whether a user has a permission.
     *
     * @param namespace empty for the whole cluster
     * @throws dev.claimstream.kubernetes.ClusterFault if the API server does not answer
     */
    boolean isAllowed(UserIdentity user, AccessPermission permission, String namespace);
}
