package dev.claimstream.kubernetes.api;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.claimstream.kubernetes.ClusterFault;
import dev.claimstream.kubernetes.access.AccessPermission;
import dev.claimstream.kubernetes.access.AccessReviewer;
import dev.claimstream.kubernetes.access.UserIdentity;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Reviews by an API server: TokenReview (authentication.k8s.io/v1) and SubjectAccessReview (authorization.k8s.io/v1). It needs only the
 * permission to create both.
 */
public final class ApiAccessReviewer implements AccessReviewer, AutoCloseable {
    private static final String TOKENS = "/apis/authentication.k8s.io/v1/tokenreviews";
    private static final String ACCESS = "/apis/authorization.k8s.io/v1/subjectaccessreviews";
    private static final String REMEDY = "bind the ClusterRole claimstream-access to the account of this service";

    private final ApiHttpClient server;

    private ApiAccessReviewer(ApiHttpClient server) {
        this.server = server;
    }

    /**
     * Opens a reviewer. It sends no request.
     *
     * @throws IllegalArgumentException if the access is unusable; the message contains the remedy
     */
    public static ApiAccessReviewer open(ApiAccess access) {
        return new ApiAccessReviewer(ApiHttpClient.open(access));
    }

    @Override
    public Optional<UserIdentity> authenticate(String token) {
        ObjectNode body = ApiHttpClient.JSON.createObjectNode();
        body.put("apiVersion", "authentication.k8s.io/v1").put("kind", "TokenReview");
        body.putObject("spec").put("token", token);
        JsonNode status = review(TOKENS, body, "tokens cannot be reviewed");
        return status.path("authenticated").asBoolean(false)
                ? Optional.of(user(status.path("user")))
                : Optional.empty();
    }

    private static UserIdentity user(JsonNode user) {
        Map<String, List<String>> extra = new TreeMap<>();
        user.path("extra").properties().forEach(each -> extra.put(each.getKey(), texts(each.getValue())));
        return new UserIdentity(
                user.path("username").asText(), user.path("uid").asText(), texts(user.path("groups")), extra);
    }

    private static List<String> texts(JsonNode list) {
        return list.valueStream().map(JsonNode::asText).toList();
    }

    @Override
    public boolean isAllowed(UserIdentity user, AccessPermission permission, String namespace) {
        ObjectNode body = ApiHttpClient.JSON.createObjectNode();
        body.put("apiVersion", "authorization.k8s.io/v1").put("kind", "SubjectAccessReview");
        ObjectNode spec = body.putObject("spec").put("user", user.name()).put("uid", user.uid());
        user.groups().forEach(spec.putArray("groups")::add);
        ObjectNode extra = spec.putObject("extra");
        user.extra().forEach((name, values) -> values.forEach(extra.withArray(name)::add));
        spec.putObject("resourceAttributes")
                .put("verb", permission.verb())
                .put("group", permission.group())
                .put("resource", permission.resource())
                .put("namespace", namespace);
        return review(ACCESS, body, "permissions cannot be reviewed")
                .path("allowed")
                .asBoolean(false);
    }

    private JsonNode review(String path, ObjectNode body, String problem) {
        Reply reply = server.post(path, body.toString());
        if (!reply.isSuccess()) {
            throw server.failure(reply, problem, REMEDY);
        }
        JsonNode status = reply.body().path("status");
        if (!status.isObject()) {
            throw new ClusterFault("%s: the answer of %s has no status".formatted(problem, server.url()));
        }
        return status;
    }

    @Override
    public void close() {
        server.close();
    }
}
