package dev.claimstream.kafka.security;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Optional;

/** How a client of the schema registry authenticates; files are read at each request. */
public sealed interface RegistryLogin {
    /** The value of the header {@code Authorization}; empty if the registry needs none. */
    Optional<String> authorization() throws IOException;

    /** No authentication. */
    record Anonymous() implements RegistryLogin {
        @Override
        public Optional<String> authorization() {
            return Optional.empty();
        }
    }

    /** Basic authentication. */
    record Basic(String username, SecretFile password) implements RegistryLogin {
        @Override
        public Optional<String> authorization() throws IOException {
            byte[] user = "%s:%s".formatted(username, password.read()).getBytes(StandardCharsets.UTF_8);
            return Optional.of("Basic " + Base64.getEncoder().encodeToString(user));
        }
    }

    record Bearer(SecretFile token) implements RegistryLogin {
        @Override
        public Optional<String> authorization() throws IOException {
            return Optional.of("Bearer " + token.read());
        }
    }
}
