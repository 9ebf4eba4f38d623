package dev.claimstream.kubernetes.api;

import com.fasterxml.jackson.databind.JsonNode;
import dev.claimstream.kubernetes.ClaimStatusClient.WriteResult;
import dev.claimstream.kubernetes.ClusterFault;
import java.net.HttpURLConnection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Maps error responses of the API server to a {@link WriteResult}. The mapping depends on the response alone. */
final class WriteResultMapper {
    private static final int UNPROCESSABLE = 422;
    private static final int TOO_MANY_REQUESTS = 429;
    private static final Duration DEFAULT_RETRY_AFTER = Duration.ofSeconds(1);

    /** Messages of Kubernetes 1.36 and 1.37 for an immutable field. */
    private static final List<String> IMMUTABLE = List.of("field is immutable", "field cannot be modified once set");

    private WriteResultMapper() {}

    /** Maps an error response. */
    static WriteResult of(Reply reply) {
        return switch (reply.code()) {
            case HttpURLConnection.HTTP_CONFLICT -> new WriteResult.Conflict();
            case HttpURLConnection.HTTP_NOT_FOUND -> notFound(reply);
            case UNPROCESSABLE -> unprocessable(reply);
            case HttpURLConnection.HTTP_UNAUTHORIZED ->
                new WriteResult.Forbidden(
                        "the API server rejected the credentials: " + reply.message(),
                        "check the credentials of the kubeconfig or of the service account");
            case HttpURLConnection.HTTP_FORBIDDEN -> forbidden(reply);
            case TOO_MANY_REQUESTS ->
                new WriteResult.TooManyRequests(
                        reply.message(), reply.retryAfter().orElse(DEFAULT_RETRY_AFTER));
            default -> otherError(reply);
        };
    }

    /** Maps a request without a response, or one that {@link RetryAfterGate} blocked. */
    static WriteResult of(ClusterFault fault) {
        String reason = String.valueOf(fault.getMessage());
        return fault.retryAfter().isPositive()
                ? new WriteResult.TooManyRequests(reason, fault.retryAfter())
                : new WriteResult.Unknown(reason);
    }

    private static WriteResult otherError(Reply reply) {
        boolean isOwnError = reply.code() >= 400 && reply.code() < 500 && isStatus(reply);
        return isOwnError
                ? new WriteResult.Rejected(reply.message())
                : reply.retryAfter()
                        .<WriteResult>map(pause -> new WriteResult.TooManyRequests(reply.message(), pause))
                        .orElseGet(
                                () -> new WriteResult.Unknown("HTTP %d: %s".formatted(reply.code(), reply.message())));
    }

    /** Only a {@code Status} object comes from the API server; a proxy on the way can answer 404, too. */
    private static WriteResult notFound(Reply reply) {
        return isStatus(reply)
                ? new WriteResult.NotFound()
                : new WriteResult.Unknown("HTTP 404, but not from an API server");
    }

    private static boolean isStatus(Reply reply) {
        return reply.body().path("kind").asText().equals("Status");
    }

    private static WriteResult forbidden(Reply reply) {
        return new WriteResult.Forbidden(reply.message(), remedy(reply.message()));
    }

    /** Returns the remedy for a 403. RBAC, policies and webhooks differ only in the message text. */
    private static String remedy(String message) {
        if (message.contains("no params found for policy binding")) {
            return "restore the parameters of the policy";
        }
        if (message.contains("AdmissionPolicy")) {
            return message.contains("resulted in error")
                    ? "fix that expression of the policy, or remove the policy"
                    : "allow this user in the policy, or remove the policy; a policy of deploy/policies allows only the"
                            + " writer in the ConfigMap claimstream/claimstream-managed";
        }
        if (message.contains("admission webhook")) {
            return "allow this user in the webhook, or remove the webhook";
        }
        return message.contains("User ") && message.contains(" cannot ")
                ? "grant this user these permissions with a ClusterRole and a binding"
                : "find the component that rejects the request, and allow this user there";
    }

    private record StatusCause(String field, String reason, String message) {}

    private static List<StatusCause> causes(Reply reply) {
        List<StatusCause> causes = new ArrayList<>();
        for (JsonNode each : reply.body().path("details").path("causes")) {
            causes.add(new StatusCause(
                    each.path("field").asText(),
                    each.path("reason").asText(),
                    each.path("message").asText()));
        }
        return causes;
    }

    /** Maps a 422. Kubernetes 1.36 uses this code for granular DRA authorization, for validation and for policies without parameters. */
    private static WriteResult unprocessable(Reply reply) {
        List<StatusCause> causes = causes(reply);
        if (causes.stream().anyMatch(cause -> cause.message().contains("resourceclaims/binding"))) {
            return new WriteResult.Forbidden(
                    reply.message(),
                    "allow patch of resourceclaims/binding by a ClusterRole and a ClusterRoleBinding; a RoleBinding"
                            + " does not suffice");
        }
        if (reply.message().contains("AdmissionPolicy")
                || reply.message().contains("no params found for policy binding")) {
            return forbidden(reply);
        }
        if (causes.stream().anyMatch(cause -> cause.field().equals("metadata.uid"))) {
            return new WriteResult.NotFound();
        }
        boolean isAllocatedMeanwhile = causes.stream()
                .anyMatch(cause -> cause.field().equals("status.allocation")
                        && IMMUTABLE.stream().anyMatch(cause.message()::contains));
        return isAllocatedMeanwhile ? new WriteResult.Conflict() : new WriteResult.Rejected(reply.message());
    }
}
