package dev.claimstream.kafka.registry;

import com.fasterxml.jackson.databind.JsonNode;
import dev.claimstream.kafka.RetryPolicy;
import dev.claimstream.kafka.registry.RegistryException.RegistryErrorCode;
import dev.claimstream.kafka.registry.RestRegistry.RegistrySettings;
import dev.claimstream.kafka.security.PemFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.Optional;
import java.util.function.UnaryOperator;
import javax.net.ssl.SSLContext;

/** Sends requests to a schema registry with its credentials, and reads the answers. Safe for many threads. */
final class RegistryTransport implements AutoCloseable {
    private static final String MEDIA_TYPE = "application/vnd.schemaregistry.v1+json";
    private static final int ATTEMPTS_MAX = 4;
    private static final Duration BACKOFF_MIN = Duration.ofMillis(100);
    private static final Duration BACKOFF_MAX = Duration.ofMillis(400);

    private final RegistrySettings settings;
    private final HttpClient http;
    private volatile Optional<String> currentError = Optional.empty();

    /** @throws IllegalArgumentException if the file of the authorities cannot be used */
    RegistryTransport(RegistrySettings settings) {
        this.settings = settings;
        HttpClient.Builder builder =
                HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).connectTimeout(settings.timeout());
        settings.ca().ifPresent(file -> builder.sslContext(trusting(file)));
        this.http = builder.build();
    }

    private static SSLContext trusting(Path file) {
        try {
            return PemFiles.trusting(file);
        } catch (IOException | GeneralSecurityException e) {
            throw new IllegalArgumentException("%s has no usable certificates: %s".formatted(file, e.getMessage()), e);
        }
    }

    /** Sends GET once; returns the HTTP status. */
    int status(String path) throws IOException, InterruptedException {
        return http.send(request(path).GET().build(), BodyHandlers.discarding()).statusCode();
    }

    /** The error of the last request if a retry may succeed; empty after a success. */
    Optional<String> currentError() {
        return currentError;
    }

    /** Records an error that only the caller finds in the answer. */
    void fail(String reason) {
        currentError = Optional.of(reason);
    }

    /** Sends a request, and repeats it a few times if a retry may succeed. */
    JsonNode send(String path, UnaryOperator<HttpRequest.Builder> method) {
        var retries = RetryPolicy.withJitter(BACKOFF_MIN, BACKOFF_MAX);
        for (int attempt = 1; ; attempt++) {
            try {
                JsonNode response = sendOnce(path, method);
                currentError = Optional.empty();
                return response;
            } catch (RegistryException e) {
                currentError = Optional.of(String.valueOf(e.getMessage()))
                        .filter(_ -> e.errorCode().isRetriable());
                if (!e.errorCode().isRetriable() || attempt == ATTEMPTS_MAX) {
                    throw e;
                }
                pause(retries.next());
            }
        }
    }

    JsonNode sendOnce(String path, UnaryOperator<HttpRequest.Builder> method) {
        HttpRequest request = method.apply(anonymousRequest(path)).build();
        try {
            request = method.apply(request(path)).build();
            HttpResponse<String> response = http.send(request, BodyHandlers.ofString());
            if (response.statusCode() / 100 == 2) {
                return RegistryJson.parse(response.body());
            }
            throw RegistryRejection.of(request, response);
        } catch (IOException | UncheckedIOException e) {
            throw new RegistryException(
                    RegistryErrorCode.UNREACHABLE,
                    "no response to %s %s: %s. Check the registry and its URL."
                            .formatted(request.method(), request.uri(), e),
                    e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new RegistryException(RegistryErrorCode.UNREACHABLE, request.uri() + " was interrupted", e);
        }
    }

    /** A request with the current credentials: their file may have changed since the last one. */
    private HttpRequest.Builder request(String path) throws IOException {
        HttpRequest.Builder builder = anonymousRequest(path);
        settings.login().authorization().ifPresent(value -> builder.header("Authorization", value));
        return builder;
    }

    private HttpRequest.Builder anonymousRequest(String path) {
        return HttpRequest.newBuilder(URI.create(settings.url() + path))
                .timeout(settings.timeout())
                .header("Content-Type", MEDIA_TYPE)
                .header("Accept", MEDIA_TYPE + ", application/json");
    }

    private static void pause(Duration time) {
        try {
            Thread.sleep(time);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new RegistryException(RegistryErrorCode.UNREACHABLE, "interrupted while waiting for a retry", e);
        }
    }

    @Override
    public void close() {
        http.close();
    }
}
