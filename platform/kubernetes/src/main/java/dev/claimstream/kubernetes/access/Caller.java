package dev.claimstream.kubernetes.access;

import java.util.Collection;
import java.util.Set;
import java.util.stream.Collectors;

/** The sender of a request. Safe for use by several threads. */
public sealed interface Caller {
    /** Returns a program on the same machine, which may see everything. */
    static Caller local() {
        return new LocalCaller();
    }

    /** Returns a caller without a token, on a route that is open to every caller; sees nothing of the cluster. */
    static Caller anonymous() {
        return new AnonymousCaller();
    }

    /** Returns whether the caller is a program on the same machine. */
    default boolean isLocal() {
        return this instanceof LocalCaller;
    }

    /** Returns the name for logs and limits. */
    String name();

    /**
     * Returns whether the caller has a permission.
     *
     * @param namespace empty for the whole cluster
     * @throws AccessDeniedException 503 if the API server does not answer
     */
    boolean may(AccessPermission permission, String namespace);

    /**
     * Returns what the caller sees.
     *
     * @param known all namespaces that an answer may contain; another one is not visible
     * @throws AccessDeniedException 503 if the API server does not answer
     */
    VisibleObjects visible(Collection<String> known);

    /**
     * Returns whether the credentials are still valid. Kubernetes is asked again after the time of the cache.
     *
     * @throws AccessDeniedException 503 if the API server does not answer
     */
    boolean isCurrent();

    /**
     * Requires a permission.
     *
     * @throws AccessDeniedException 403 without the permission, 503 if the API server does not answer
     */
    default void require(AccessPermission permission, String namespace) {
        if (!may(permission, namespace)) {
            throw new AccessDeniedException(
                    403,
                    "user %s may not %s %s"
                            .formatted(
                                    name(),
                                    permission.text(),
                                    namespace.isEmpty() ? "in the cluster" : "in this namespace"),
                    namespace.isEmpty() ? "path" : "namespace",
                    namespace.isEmpty()
                            ? "ask an administrator for a ClusterRoleBinding with this permission"
                            : "name a namespace of yours, or ask for a RoleBinding of the ClusterRole view");
        }
    }

    /** A caller on loopback. */
    record LocalCaller() implements Caller {
        @Override
        public String name() {
            return "local";
        }

        @Override
        public boolean may(AccessPermission permission, String namespace) {
            return true;
        }

        @Override
        public VisibleObjects visible(Collection<String> known) {
            return VisibleObjects.EVERYTHING;
        }

        @Override
        public boolean isCurrent() {
            return true;
        }
    }

    /** A caller without a token. */
    record AnonymousCaller() implements Caller {
        private static final VisibleObjects NOTHING = new VisibleObjects(false, Set.of(), false, false);

        @Override
        public String name() {
            return "anonymous";
        }

        @Override
        public boolean may(AccessPermission permission, String namespace) {
            return false;
        }

        @Override
        public VisibleObjects visible(Collection<String> known) {
            return NOTHING;
        }

        @Override
        public boolean isCurrent() {
            return true;
        }
    }

    /** A caller whose token Kubernetes has accepted. */
    record TokenCaller(UserIdentity user, String token, ReviewCache reviews) implements Caller {
        @Override
        public String name() {
            return user.name();
        }

        @Override
        public boolean may(AccessPermission permission, String namespace) {
            return reviews.isAllowed(user, permission, namespace);
        }

        @Override
        public VisibleObjects visible(Collection<String> known) {
            boolean isEverything = may(AccessPermission.NAMESPACE, "");
            Set<String> namespaces = isEverything
                    ? Set.of()
                    : reviews.allowed(user, AccessPermission.NAMESPACE, known).stream()
                            .collect(Collectors.toSet());
            return new VisibleObjects(
                    isEverything, namespaces, may(AccessPermission.DEVICES, ""), may(AccessPermission.NODES, ""));
        }

        @Override
        public boolean isCurrent() {
            return reviews.authenticate(token).filter(user::equals).isPresent();
        }

        /** Hides the token. */
        @Override
        public String toString() {
            return "TokenCaller[" + user.name() + "]";
        }
    }
}
