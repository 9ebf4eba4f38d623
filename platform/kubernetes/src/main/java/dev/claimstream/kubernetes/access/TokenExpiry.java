package dev.claimstream.kubernetes.access;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Optional;

/** Reads the expiry of a JSON Web Token (RFC 7519, claim {@code exp}). The signature is left to the API server. */
final class TokenExpiry {
    private static final ObjectMapper JSON = new ObjectMapper();

    private TokenExpiry() {}

    /** Returns when the token expires; absent for tokens of other kinds and without a time. */
    static Optional<Instant> of(String token) {
        List<String> parts = List.of(token.split("\\.", -1));
        if (parts.size() != 3) {
            return Optional.empty();
        }
        try {
            JsonNode expiry =
                    JSON.readTree(Base64.getUrlDecoder().decode(parts.get(1))).path("exp");
            return expiry.isNumber() && expiry.canConvertToLong()
                    ? Optional.of(Instant.ofEpochSecond(
                            Math.clamp(expiry.asLong(), Instant.EPOCH.getEpochSecond(), Instant.MAX.getEpochSecond())))
                    : Optional.empty();
        } catch (IOException | IllegalArgumentException e) {
            return Optional.empty();
        }
    }
}
