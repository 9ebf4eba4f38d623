package dev.claimstream.kubernetes.api;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.claimstream.kubernetes.doctor.ClusterFacts.Access;
import java.util.ArrayList;
import java.util.List;

/**
 * Asks an API server which permissions a user has, by SelfSubjectAccessReview.
 *
 * <p>A permission without a namespace is asked for the whole cluster. The lists are exactly what {@code deploy/policies} grants.
 */
final class RightsAsked {
    private static final String REVIEWS = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
    private static final String RESOURCE = "resource.k8s.io";
    private static final String COORDINATION = "coordination.k8s.io";
    private static final String SCHEDULING = "scheduling.k8s.io";

    /** A permission. */
    record Right(String verb, String group, String resource, String namespace, String name) {
        static Right of(String verb, String group, String resource) {
            return new Right(verb, group, resource, "", "");
        }

        @Override
        public String toString() {
            return verb + " " + resource + (group.isEmpty() ? "" : "." + group) + (name.isEmpty() ? "" : " " + name);
        }
    }

    private static final Right OURS = new Right("get", "", "configmaps", "claimstream", "claimstream-managed");

    /** Permissions of the writer without {@link #BINDING}. */
    static final List<Right> WRITER = List.of(
            Right.of("get", RESOURCE, "resourceclaims"),
            Right.of("patch", RESOURCE, "resourceclaims"),
            Right.of("patch", RESOURCE, "resourceclaims/status"),
            Right.of("get", "", "pods"),
            Right.of("list", "", "pods"),
            Right.of("patch", "", "pods"),
            Right.of("create", "events.k8s.io", "events"),
            new Right("get", COORDINATION, LogLease.PLURAL, LogLease.NAMESPACE, LogLease.NAME),
            new Right("create", COORDINATION, LogLease.PLURAL, LogLease.NAMESPACE, ""),
            new Right("update", COORDINATION, LogLease.PLURAL, LogLease.NAMESPACE, LogLease.NAME),
            OURS);

    /** Permission to allocate. Kubernetes 1.36 and newer require it for the whole cluster. */
    static final Right BINDING = Right.of("patch", RESOURCE, "resourceclaims/binding");

    /** Permissions of the watcher. */
    static final List<Right> WATCHER = watcher();

    private final ApiServer server;

    RightsAsked(ApiServer server) {
        this.server = server;
    }

    private static List<Right> watcher() {
        List<Right> rights = new ArrayList<>();
        for (String verb : List.of("list", "watch")) {
            for (String resource : List.of(
                    "resourceslices",
                    "deviceclasses",
                    "resourceclaims",
                    "resourceclaimtemplates",
                    "devicetaintrules")) {
                rights.add(Right.of(verb, RESOURCE, resource));
            }
            for (String resource : List.of("pods", "nodes", "namespaces")) {
                rights.add(Right.of(verb, "", resource));
            }
            rights.add(Right.of(verb, SCHEDULING, "podgroups"));
        }
        rights.add(Right.of("get", "", "namespaces"));
        rights.add(OURS);
        return List.copyOf(rights);
    }

    /** The server denied the review, mostly because the current user must not impersonate the other user. */
    static final class NotAnsweredException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        NotAnsweredException(String message) {
            super(message);
        }
    }

    /**
     * Reviews permissions.
     *
     * @throws NotAnsweredException if the server denies a review
     */
    List<Access> of(List<Right> rights) {
        return rights.stream()
                .map(each -> new Access(each.toString(), isAllowed(each)))
                .toList();
    }

    private boolean isAllowed(Right right) {
        ObjectNode body = ApiServer.JSON.createObjectNode();
        body.put("apiVersion", "authorization.k8s.io/v1").put("kind", "SelfSubjectAccessReview");
        int slash = right.resource().indexOf('/');
        ObjectNode asked = body.putObject("spec").putObject("resourceAttributes");
        asked.put("verb", right.verb())
                .put("group", right.group())
                .put("resource", slash < 0 ? right.resource() : right.resource().substring(0, slash))
                .put("subresource", slash < 0 ? "" : right.resource().substring(slash + 1))
                .put("namespace", right.namespace())
                .put("name", right.name());
        Reply reply = server.post(REVIEWS, body.toString());
        if (!reply.isGood()) {
            throw new NotAnsweredException("not known: " + reply.message());
        }
        return reply.body().path("status").path("allowed").asBoolean(false);
    }
}
