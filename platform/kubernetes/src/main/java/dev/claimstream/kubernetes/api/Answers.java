package dev.claimstream.kubernetes.api;

import com.fasterxml.jackson.databind.JsonNode;
import dev.claimstream.kubernetes.ClaimStatus.Answer;
import dev.claimstream.kubernetes.ClusterFault;
import java.net.HttpURLConnection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Maps error responses of the API server to an {@link Answer} of a write. The mapping depends on the response alone. */
final class Answers {
    private static final int UNPROCESSABLE = 422;
    private static final int TOO_MANY_REQUESTS = 429;
    private static final Duration USUAL_PAUSE = Duration.ofSeconds(1);

    private Answers() {}

    /** Maps an error response. */
    static Answer of(Reply reply) {
        return switch (reply.code()) {
            case HttpURLConnection.HTTP_CONFLICT -> new Answer.Changed();
            case HttpURLConnection.HTTP_NOT_FOUND -> notFound(reply);
            case UNPROCESSABLE -> invalid(reply);
            case HttpURLConnection.HTTP_UNAUTHORIZED ->
                new Answer.NotAllowed(
                        "the API server does not know us: " + reply.message(),
                        "check the credentials of the kubeconfig or of the service account");
            case HttpURLConnection.HTTP_FORBIDDEN -> forbidden(reply);
            case TOO_MANY_REQUESTS ->
                new Answer.SlowDown(reply.message(), reply.retryAfter().orElse(USUAL_PAUSE));
            default -> other(reply);
        };
    }

    /** Maps a request without a response, or one that {@link StayAway} blocked. */
    static Answer of(ClusterFault fault) {
        String why = String.valueOf(fault.getMessage());
        return fault.pause().isPositive() ? new Answer.SlowDown(why, fault.pause()) : new Answer.Unknown(why);
    }

    private static Answer other(Reply reply) {
        boolean isAboutUs = reply.code() >= 400 && reply.code() < 500 && isStatus(reply);
        return isAboutUs
                ? new Answer.Refused(reply.message())
                : reply.retryAfter()
                        .<Answer>map(pause -> new Answer.SlowDown(reply.message(), pause))
                        .orElseGet(() -> new Answer.Unknown("HTTP %d: %s".formatted(reply.code(), reply.message())));
    }

    /** Only a {@code Status} object comes from the API server; a proxy on the way can answer 404, too. */
    private static Answer notFound(Reply reply) {
        return isStatus(reply) ? new Answer.Missing() : new Answer.Unknown("HTTP 404, but not from an API server");
    }

    private static boolean isStatus(Reply reply) {
        return reply.body().path("kind").asText().equals("Status");
    }

    private static Answer forbidden(Reply reply) {
        return new Answer.NotAllowed(reply.message(), remedy(reply.message()));
    }

    /** Returns the remedy for a 403. RBAC, policies and webhooks differ only in the message text. */
    private static String remedy(String message) {
        if (message.contains("no params found for policy binding")) {
            return "put the parameters of the policy back";
        }
        if (message.contains("AdmissionPolicy")) {
            return message.contains("resulted in error")
                    ? "mend that expression of the policy, or remove the policy"
                    : "let the policy take it from this user, or remove the policy; one of deploy/policies asks for the"
                            + " writer that the ConfigMap claimstream/claimstream-managed names";
        }
        if (message.contains("admission webhook")) {
            return "let that webhook take it from this user, or remove the webhook";
        }
        return message.contains("User ") && message.contains(" cannot ")
                ? "give this user the rights that it says, by a ClusterRole and a binding"
                : "see which part of the cluster says so, and let it take this from this user";
    }

    private record Cause(String field, String reason, String message) {}

    private static List<Cause> causes(Reply reply) {
        List<Cause> causes = new ArrayList<>();
        for (JsonNode each : reply.body().path("details").path("causes")) {
            causes.add(new Cause(
                    each.path("field").asText(),
                    each.path("reason").asText(),
                    each.path("message").asText()));
        }
        return causes;
    }

    /** Maps a 422. Kubernetes 1.36 uses this code for granular DRA authorization, for validation and for policies without parameters. */
    private static Answer invalid(Reply reply) {
        List<Cause> causes = causes(reply);
        if (causes.stream().anyMatch(cause -> cause.message().contains("resourceclaims/binding"))) {
            return new Answer.NotAllowed(
                    reply.message(),
                    "allow patch of resourceclaims/binding by a ClusterRole and a ClusterRoleBinding; a RoleBinding"
                            + " does not suffice");
        }
        if (reply.message().contains("AdmissionPolicy")
                || reply.message().contains("no params found for policy binding")) {
            return forbidden(reply);
        }
        if (causes.stream().anyMatch(cause -> cause.field().equals("metadata.uid"))) {
            return new Answer.Missing();
        }
        boolean isAllocatedMeanwhile = causes.stream()
                .anyMatch(cause -> cause.field().equals("status.allocation")
                        && cause.message().contains("field is immutable"));
        return isAllocatedMeanwhile ? new Answer.Changed() : new Answer.Refused(reply.message());
    }
}
