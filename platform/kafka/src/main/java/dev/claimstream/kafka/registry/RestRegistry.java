package dev.claimstream.kafka.registry;

import com.fasterxml.jackson.databind.JsonNode;
import dev.claimstream.kafka.RetryPolicy;
import dev.claimstream.kafka.registry.RegistryException.RegistryErrorCode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Base64;
import java.util.Map;
import java.util.Optional;
import org.apache.avro.AvroRuntimeException;
import org.apache.avro.Schema;

/**
 * A client of a schema registry with Confluent's protocol.
 *
 * <p>It retries a request without response a few times; all requests are idempotent. Safe for many threads.
 */
public final class RestRegistry implements SchemaRegistry, AutoCloseable {
    private static final String MEDIA_TYPE = "application/vnd.schemaregistry.v1+json";
    private static final int ATTEMPTS_MAX = 4;
    private static final Duration BACKOFF_MIN = Duration.ofMillis(100);
    private static final Duration BACKOFF_MAX = Duration.ofMillis(400);

    private final RegistrySettings settings;
    private final HttpClient http;
    private volatile Optional<String> currentError = Optional.empty();

    /**
     * URL and credentials of the registry.
     *
     * @param url URL with the path of the protocol, for example {@code http://host/apis/ccompat/v7}
     * @param user {@code name:password} for basic authentication; never printed
     * @param timeout timeout per attempt
     */
    public record RegistrySettings(URI url, Optional<String> user, Duration timeout) {
        /** Settings without authentication and with a timeout of 5 s per attempt. */
        public static RegistrySettings of(URI url) {
            return new RegistrySettings(url, Optional.empty(), Duration.ofSeconds(5));
        }

        /** A copy with this user. */
        public RegistrySettings as(String nameAndPassword) {
            return new RegistrySettings(url, Optional.of(nameAndPassword), timeout);
        }

        @Override
        public String toString() {
            return url.toString();
        }
    }

    public RestRegistry(RegistrySettings settings) {
        this.settings = settings;
        this.http = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .connectTimeout(settings.timeout())
                .build();
    }

    @Override
    public int register(String subject, Schema schema) {
        JsonNode answer =
                call(post("/subjects/" + encoded(subject) + "/versions", Map.of("schema", schema.toString())));
        return field(answer, "id").asInt();
    }

    @Override
    public Schema byId(int id) {
        String text = field(call(request("/schemas/ids/" + id).GET().build()), "schema")
                .asText();
        try {
            return new Schema.Parser().parse(text);
        } catch (AvroRuntimeException e) {
            throw new RegistryException(
                    RegistryErrorCode.INVALID_SCHEMA,
                    "%s: schema %d is not an Avro schema: %s".formatted(settings.url(), id, e.getMessage()),
                    e);
        }
    }

    /** Sets the compatibility level of a subject. Without it, some registries accept any change. */
    public void setLevel(String subject, CompatibilityLevel level) {
        var unused = call(request("/config/" + encoded(subject))
                .PUT(json(Map.of("compatibility", level.name())))
                .build());
    }

    /**
     * The error of the last request if a retry may succeed; empty after a success.
     *
     * <p>Requests are rare, because their results are cached: the error may be old.
     */
    public Optional<String> currentError() {
        return currentError;
    }

    @Override
    public void close() {
        http.close();
    }

    private JsonNode call(HttpRequest request) {
        var retries = RetryPolicy.withJitter(BACKOFF_MIN, BACKOFF_MAX);
        for (int attempt = 1; ; attempt++) {
            try {
                JsonNode answer = callOnce(request);
                currentError = Optional.empty();
                return answer;
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

    private JsonNode callOnce(HttpRequest request) {
        try {
            HttpResponse<String> response = http.send(request, BodyHandlers.ofString());
            if (response.statusCode() / 100 == 2) {
                return RegistryJson.parse(response.body());
            }
            throw rejection(request, response);
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

    private static RegistryException rejection(HttpRequest request, HttpResponse<String> response) {
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

    private HttpRequest post(String path, Object body) {
        return request(path).POST(json(body)).build();
    }

    private HttpRequest.Builder request(String path) {
        var builder = HttpRequest.newBuilder(URI.create(settings.url() + path))
                .timeout(settings.timeout())
                .header("Content-Type", MEDIA_TYPE)
                .header("Accept", MEDIA_TYPE + ", application/json");
        settings.user().ifPresent(user -> builder.header("Authorization", basic(user)));
        return builder;
    }

    private JsonNode field(JsonNode answer, String name) {
        if (!answer.has(name)) {
            throw RegistryException.of(
                    RegistryErrorCode.FAILED,
                    "%s responds without %s: it is not a schema registry".formatted(settings.url(), name));
        }
        return answer.get(name);
    }

    private static BodyPublisher json(Object body) {
        return BodyPublishers.ofString(RegistryJson.write(body));
    }

    private static String basic(String user) {
        return "Basic " + Base64.getEncoder().encodeToString(user.getBytes(StandardCharsets.UTF_8));
    }

    private static String encoded(String part) {
        return URLEncoder.encode(part, StandardCharsets.UTF_8).replace("+", "%20");
    }

    private static void pause(Duration time) {
        try {
            Thread.sleep(time);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new RegistryException(RegistryErrorCode.UNREACHABLE, "interrupted while waiting for a retry", e);
        }
    }
}
