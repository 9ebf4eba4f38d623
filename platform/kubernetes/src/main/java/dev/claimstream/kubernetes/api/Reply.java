package dev.claimstream.kubernetes.api;

import com.fasterxml.jackson.databind.JsonNode;
import dev.claimstream.kubernetes.ClusterFault;
import java.net.HttpURLConnection;
import java.time.Duration;
import java.util.Optional;

/**
 * What an API server answered.
 *
 * @param body an object, or a {@code Status} where it is no
 * @param retryAfter the pause that the server asks for
 */
record Reply(int code, JsonNode body, Optional<Duration> retryAfter) {
    private static final int TOO_MANY_REQUESTS = 429;

    boolean isGood() {
        return code >= 200 && code < 300;
    }

    /** Whether the server may say something else to the same later. */
    boolean isForLater() {
        return code == TOO_MANY_REQUESTS || code >= HttpURLConnection.HTTP_INTERNAL_ERROR;
    }

    /** What the server says of a no. */
    String message() {
        String text = body.path("message").asText();
        return text.isEmpty() ? "HTTP " + code : text;
    }

    /** For a no that may be a yes later. */
    ClusterFault fault(String what) {
        return new ClusterFault("%s: %s".formatted(what, message()), retryAfter.orElse(Duration.ZERO));
    }
}
