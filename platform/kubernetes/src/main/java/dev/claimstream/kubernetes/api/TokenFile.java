package dev.claimstream.kubernetes.api;

import io.fabric8.kubernetes.client.OAuthTokenProvider;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** A bearer token in a file, read for every request, because another process renews it. */
final class TokenFile implements OAuthTokenProvider {
    private final Path file;
    private volatile String lastToken;

    /** @throws IllegalArgumentException if the file contains no token; the message contains the remedy */
    TokenFile(Path file) {
        this.file = file;
        this.lastToken = read().orElseThrow(() -> new IllegalArgumentException(
                "token file %s cannot be read or is empty: check the program that renews the token".formatted(file)));
    }

    /** Returns the current token, or the last one if the file is being replaced. */
    @Override
    public String getToken() {
        read().ifPresent(token -> lastToken = token);
        return lastToken;
    }

    private Optional<String> read() {
        try {
            return Optional.of(Files.readString(file).strip()).filter(token -> !token.isEmpty());
        } catch (IOException e) {
            return Optional.empty();
        }
    }
}
