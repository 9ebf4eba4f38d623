package dev.claimstream.kubernetes.api;

import com.fasterxml.jackson.databind.JsonNode;
import dev.claimstream.kubernetes.ClusterFault;
import java.net.HttpURLConnection;
import java.time.Duration;
import java.util.Optional;

/**
 * A complete response of an API server.
 *
 * @param code HTTP status code
 * @param body an object, or a {@code Status} for an error
 * @param retryAfter pause that the server asks for
 * @param auditId id of the request in the audit log of the server; empty if the server sent none
 */
record Reply(int code, JsonNode body, Optional<Duration> retryAfter, String auditId) {
    private static final int TOO_MANY_REQUESTS = 429;

    boolean isSuccess() {
        return code >= 200 && code < 300;
    }

    /** Returns whether the same request may succeed later. */
    boolean isRetryable() {
        return code == TOO_MANY_REQUESTS || code >= HttpURLConnection.HTTP_INTERNAL_ERROR;
    }

    /** Returns the message of an error response. */
    String message() {
        String text = body.path("message").asText();
        return text.isEmpty() ? "HTTP " + code : text;
    }

    /** Creates a fault for a retryable error. */
    ClusterFault fault(String problem) {
        return new ClusterFault("%s: %s".formatted(problem, message()), retryAfter.orElse(Duration.ZERO));
    }
}
