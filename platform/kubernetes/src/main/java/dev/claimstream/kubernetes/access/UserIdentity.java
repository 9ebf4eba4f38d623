package dev.claimstream.kubernetes.access;

import java.util.List;
import java.util.Map;

/**
 * A user as the API server names it.
 *
 * @param extra further attributes of the authenticator, which an authorizer may need
 */
public record UserIdentity(String name, String uid, List<String> groups, Map<String, List<String>> extra) {
    public UserIdentity {
        groups = List.copyOf(groups);
        extra = Map.copyOf(extra);
    }
}
