package dev.claimstream.kubernetes.api;

import io.fabric8.kubernetes.client.OAuthTokenProvider;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** A token in a file, where somebody puts a newer one in time: it is read for every request. */
final class TokenFile implements OAuthTokenProvider {
    private final Path file;
    private volatile String last;

    /** @throws IllegalArgumentException where there is no token in it now, with the remedy */
    TokenFile(Path file) {
        this.file = file;
        this.last = read().orElseThrow(() -> new IllegalArgumentException(
                "token file %s cannot be read or is empty: let whoever renews the token write it there"
                        .formatted(file)));
    }

    /** The last one that could be read: who writes a new one may be about to. */
    @Override
    public String getToken() {
        read().ifPresent(token -> last = token);
        return last;
    }

    private Optional<String> read() {
        try {
            return Optional.of(Files.readString(file).strip()).filter(token -> !token.isEmpty());
        } catch (IOException e) {
            return Optional.empty();
        }
    }
}
