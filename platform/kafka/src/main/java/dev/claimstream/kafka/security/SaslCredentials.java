package dev.claimstream.kafka.security;

import java.net.URI;
import java.util.Optional;

/** How a client of Kafka authenticates by SASL. */
public sealed interface SaslCredentials {
    /**
     * A user name and a password.
     *
     * @param mechanism {@code SCRAM-SHA-512}, {@code SCRAM-SHA-256} or {@code PLAIN}
     * @param password read at each authentication
     */
    record UserPassword(String mechanism, String username, SecretFile password) implements SaslCredentials {}

    /**
     * Tokens of an OAuth server, by the grant of client credentials.
     *
     * @param clientSecret read once, when a client of Kafka is created
     */
    record OAuthClient(URI tokenEndpoint, String clientId, SecretFile clientSecret, Optional<String> scope)
            implements SaslCredentials {}
}
