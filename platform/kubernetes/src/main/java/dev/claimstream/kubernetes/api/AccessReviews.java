package dev.claimstream.kubernetes.api;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.claimstream.kubernetes.doctor.ClusterFacts.PermissionResult;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * Asks an API server which permissions a user has: the current user by SelfSubjectAccessReview, another one by
 * SubjectAccessReview, which needs no right to impersonate.
 *
 * <p>A permission without a namespace is asked for the whole cluster. The lists are exactly what {@code deploy/policies} grants.
 */
final class AccessReviews {
    private static final String REVIEWS = "/apis/authorization.k8s.io/v1/";
    private static final String SERVICE_ACCOUNT = "system:serviceaccount:";
    private static final String RESOURCE = "resource.k8s.io";
    private static final String COORDINATION = "coordination.k8s.io";
    private static final String SCHEDULING = "scheduling.k8s.io";

    /** A verb on a resource of an API group. An empty namespace means all namespaces, an empty name all objects. */
    record Permission(String verb, String group, String resource, String namespace, String name) {
        static Permission of(String verb, String group, String resource) {
            return new Permission(verb, group, resource, "", "");
        }

        @Override
        public String toString() {
            return verb + " " + resource + (group.isEmpty() ? "" : "." + group) + (name.isEmpty() ? "" : " " + name);
        }
    }

    private static final String ADMISSION = "admissionregistration.k8s.io";

    private static final Permission MANAGED_CONFIG =
            new Permission("get", "", "configmaps", "claimstream", "claimstream-managed");

    /** Permissions of the writer without {@link #BINDING}. */
    static final List<Permission> WRITER = List.of(
            Permission.of("get", RESOURCE, "resourceclaims"),
            Permission.of("patch", RESOURCE, "resourceclaims"),
            Permission.of("patch", RESOURCE, "resourceclaims/status"),
            Permission.of("get", RESOURCE, "deviceclasses"),
            Permission.of("get", "", "pods"),
            Permission.of("list", "", "pods"),
            Permission.of("patch", "", "pods"),
            Permission.of("create", "events.k8s.io", "events"),
            new Permission("get", COORDINATION, LogLease.PLURAL, LogLease.NAMESPACE, LogLease.NAME),
            new Permission("create", COORDINATION, LogLease.PLURAL, LogLease.NAMESPACE, ""),
            new Permission("update", COORDINATION, LogLease.PLURAL, LogLease.NAMESPACE, LogLease.NAME),
            MANAGED_CONFIG);

    /** Permission to allocate. Kubernetes 1.36 and newer require it for the whole cluster. */
    static final Permission BINDING = Permission.of("patch", RESOURCE, "resourceclaims/binding");

    static final List<Permission> WATCHER = watcher();

    private final ApiHttpClient server;
    private final Optional<String> other;

    private AccessReviews(ApiHttpClient server, Optional<String> other) {
        this.server = server;
        this.other = other;
    }

    static AccessReviews ofCurrentUser(ApiHttpClient server) {
        return new AccessReviews(server, Optional.empty());
    }

    /** Reviews another user, with the groups that Kubernetes gives every user and every service account. */
    static AccessReviews of(String user, ApiHttpClient server) {
        return new AccessReviews(server, Optional.of(user));
    }

    private static List<Permission> watcher() {
        List<Permission> rights = new ArrayList<>();
        for (String verb : List.of("list", "watch")) {
            for (String resource : List.of(
                    "resourceslices",
                    "deviceclasses",
                    "resourceclaims",
                    "resourceclaimtemplates",
                    "devicetaintrules")) {
                rights.add(Permission.of(verb, RESOURCE, resource));
            }
            for (String resource : List.of("pods", "nodes", "namespaces")) {
                rights.add(Permission.of(verb, "", resource));
            }
            rights.add(Permission.of(verb, SCHEDULING, "podgroups"));
        }
        rights.add(Permission.of("get", "", "namespaces"));
        rights.add(MANAGED_CONFIG);
        for (String plural : List.of("validatingadmissionpolicies", "validatingadmissionpolicybindings")) {
            rights.add(new Permission("get", ADMISSION, plural, "", "claimstream-single-writer"));
        }
        return List.copyOf(rights);
    }

    /** The server denied the review, mostly because the current user must not review others. */
    static final class AccessReviewException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        AccessReviewException(String message) {
            super(message);
        }
    }

    /**
     * Reviews permissions.
     *
     * @throws AccessReviewException if the server denies a review
     */
    List<PermissionResult> review(List<Permission> rights) {
        return rights.stream()
                .map(each -> new PermissionResult(each.toString(), isAllowed(each)))
                .toList();
    }

    private boolean isAllowed(Permission right) {
        ObjectNode body = ApiHttpClient.JSON.createObjectNode();
        String kind = other.isPresent() ? "SubjectAccessReview" : "SelfSubjectAccessReview";
        body.put("apiVersion", "authorization.k8s.io/v1").put("kind", kind);
        int slash = right.resource().indexOf('/');
        ObjectNode spec = body.putObject("spec");
        other.ifPresent(user -> {
            spec.put("user", user);
            groups(user).forEach(spec.putArray("groups")::add);
        });
        ObjectNode attributes = spec.putObject("resourceAttributes");
        attributes
                .put("verb", right.verb())
                .put("group", right.group())
                .put("resource", slash < 0 ? right.resource() : right.resource().substring(0, slash))
                .put("subresource", slash < 0 ? "" : right.resource().substring(slash + 1))
                .put("namespace", right.namespace())
                .put("name", right.name());
        Reply reply = server.post(REVIEWS + kind.toLowerCase(Locale.ROOT) + "s", body.toString());
        if (!reply.isSuccess()) {
            throw new AccessReviewException("not known: " + reply.message());
        }
        return reply.body().path("status").path("allowed").asBoolean(false);
    }

    private static List<String> groups(String user) {
        return user.startsWith(SERVICE_ACCOUNT)
                ? List.of(
                        "system:authenticated",
                        "system:serviceaccounts",
                        "system:serviceaccounts:%s"
                                .formatted(
                                        user.substring(SERVICE_ACCOUNT.length()).split(":", -1)[0]))
                : List.of("system:authenticated");
    }
}
