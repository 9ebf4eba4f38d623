package dev.claimstream.kafka.registry;

import com.fasterxml.jackson.databind.JsonNode;
import dev.claimstream.kafka.registry.RegistryException.RegistryErrorCode;
import java.io.UncheckedIOException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Arrays;
import java.util.Optional;

/** Reads the error in a response of a schema registry. */
final class RegistryRejection {
    private RegistryRejection() {}

    /** Returns the exception for a response with an error status. Its message has request, status and text. */
    static RegistryException of(HttpRequest request, HttpResponse<String> response) {
        Optional<JsonNode> body = tree(response.body());
        int code = body.map(each -> each.path("error_code").asInt(0)).orElse(0);
        String message = body.map(each -> each.path("message").asText("")).orElse(response.body());
        return RegistryException.of(
                reason(response.statusCode(), code),
                "%s %s: %d %s".formatted(request.method(), request.uri(), response.statusCode(), message));
    }

    private static Optional<JsonNode> tree(String text) {
        try {
            return Optional.of(RegistryJson.parse(text));
        } catch (UncheckedIOException e) {
            return Optional.empty(); // the error page of a proxy
        }
    }

    private static RegistryErrorCode reason(int status, int code) {
        return Arrays.stream(RegistryErrorCode.values())
                .filter(each -> each.code() == code)
                .findFirst()
                .orElseGet(() -> switch (status) {
                    case 409 -> RegistryErrorCode.INCOMPATIBLE;
                    case 422 -> RegistryErrorCode.INVALID_SCHEMA;
                    default -> RegistryErrorCode.FAILED;
                });
    }
}
