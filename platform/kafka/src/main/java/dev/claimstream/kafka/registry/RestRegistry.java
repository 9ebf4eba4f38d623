package dev.claimstream.kafka.registry;

import com.fasterxml.jackson.databind.JsonNode;
import dev.claimstream.kafka.RetryPolicy;
import dev.claimstream.kafka.registry.RegistryException.RegistryErrorCode;
import dev.claimstream.kafka.security.AccessFault;
import dev.claimstream.kafka.security.PemFiles;
import dev.claimstream.kafka.security.RegistryLogin;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;
import javax.net.ssl.SSLContext;
import org.apache.avro.AvroRuntimeException;
import org.apache.avro.Schema;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A client of a schema registry with Confluent's protocol.
 *
 * <p>It retries a request without response a few times; all requests are idempotent. After a registration under a subject
 * without a compatibility level of its own it sets the level {@code FULL_TRANSITIVE}: the default of some registries accepts
 * any change. A subject with a level keeps it, with a warning if the level is weaker. A registry that does not permit
 * setting the level is used as it is, with a warning. Safe for many threads.
 */
public final class RestRegistry implements SchemaRegistry, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(RestRegistry.class);
    private static final CompatibilityLevel LEVEL = CompatibilityLevel.FULL_TRANSITIVE;
    private static final String MEDIA_TYPE = "application/vnd.schemaregistry.v1+json";
    private static final String APICURIO_PATH = "/ccompat/";
    private static final int ATTEMPTS_MAX = 4;
    private static final Duration BACKOFF_MIN = Duration.ofMillis(100);
    private static final Duration BACKOFF_MAX = Duration.ofMillis(400);

    private final RegistrySettings settings;
    private final HttpClient http;
    private final Set<String> subjectsWithLevel = ConcurrentHashMap.newKeySet();
    private final Set<String> subjectsWithFailure = ConcurrentHashMap.newKeySet();
    private volatile Optional<String> currentError = Optional.empty();

    /**
     * URL and credentials of the registry.
     *
     * @param url URL with the path of the protocol, for example {@code http://host/apis/ccompat/v7}
     * @param login how the client authenticates
     * @param ca PEM file of the authorities that sign the registry's certificate; empty: those of the JVM
     * @param timeout timeout per attempt
     */
    public record RegistrySettings(URI url, RegistryLogin login, Optional<Path> ca, Duration timeout) {
        /** Settings without authentication and with a timeout of 5 s per attempt. */
        public static RegistrySettings of(URI url) {
            return new RegistrySettings(url, new RegistryLogin.Anonymous(), Optional.empty(), Duration.ofSeconds(5));
        }

        /** A copy with this authentication. */
        public RegistrySettings as(RegistryLogin other) {
            return new RegistrySettings(url, other, ca, timeout);
        }

        /** A copy that trusts the authorities of this PEM file only. */
        public RegistrySettings trusting(Path file) {
            return new RegistrySettings(url, login, Optional.of(file), timeout);
        }

        /** A copy with another timeout per attempt. */
        public RegistrySettings within(Duration other) {
            return new RegistrySettings(url, login, ca, other);
        }

        @Override
        public String toString() {
            return url.toString();
        }
    }

    /**
     * Creates a client; it sends its first request when it is used.
     *
     * @throws IllegalArgumentException if the file of the authorities cannot be used
     */
    public RestRegistry(RegistrySettings settings) {
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

    /** Asks the registry once; returns why it grants no access, and nothing if it does or does not respond. */
    public Optional<AccessFault> accessFault() {
        try {
            HttpResponse<Void> response = http.send(request("/subjects").GET().build(), BodyHandlers.discarding());
            return isRejected(response.statusCode()) ? Optional.of(AccessFault.CREDENTIALS_REJECTED) : Optional.empty();
        } catch (IOException e) {
            return AccessFault.of(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        }
    }

    private static boolean isRejected(int status) {
        return status == HttpURLConnection.HTTP_UNAUTHORIZED; // 403: a user may not list the subjects of others
    }

    /** The subjects of the registry, sorted. */
    public List<String> subjects() {
        List<String> subjects = new ArrayList<>();
        call("/subjects", HttpRequest.Builder::GET).forEach(each -> subjects.add(each.asText()));
        subjects.sort(null);
        return subjects;
    }

    /** The compatibility level of a subject: its own, or the default of the registry. */
    public String level(String subject) {
        return ownLevel(subject)
                .orElseGet(() -> field(callOnce("/config", HttpRequest.Builder::GET), "compatibilityLevel")
                        .asText());
    }

    /** The schemas of a subject, oldest first. */
    public List<Schema> versions(String subject) {
        String path = "/subjects/" + encoded(subject) + "/versions";
        List<Schema> schemas = new ArrayList<>();
        call(path, HttpRequest.Builder::GET).forEach(version -> {
            JsonNode answer = call(path + "/" + version.asInt(), HttpRequest.Builder::GET);
            schemas.add(
                    parsed(field(answer, "schema").asText(), "version %d of %s".formatted(version.asInt(), subject)));
        });
        return schemas;
    }

    @Override
    public int register(String subject, Schema schema) {
        BodyPublisher body = json(Map.of("schema", schema.toString()));
        JsonNode answer = call("/subjects/" + encoded(subject) + "/versions", request -> request.POST(body));
        int id = field(answer, "id").asInt();
        if (!subjectsWithLevel.contains(subject)) {
            requireLevel(subject);
        }
        return id;
    }

    /**
     * Registers a schema with a given id, so that recorded bytes keep their meaning. The mode of the subject is
     * {@code IMPORT} meanwhile, and then as before.
     *
     * @throws RegistryException if the registry gives the schema another id, or does not respond
     */
    public void restore(String subject, int id, Schema schema) {
        Optional<String> before = ownMode(subject);
        setMode(subject, "IMPORT");
        try {
            BodyPublisher body = json(Map.of("schema", schema.toString(), "id", id));
            var unused = call("/subjects/" + encoded(subject) + "/versions", request -> request.POST(body));
        } finally {
            before.ifPresentOrElse(mode -> setMode(subject, mode), () -> deleteMode(subject));
        }
        if (!byId(id).equals(schema)) {
            throw RegistryException.of(
                    RegistryErrorCode.INCOMPATIBLE, "%s: id %d is another schema".formatted(settings.url(), id));
        }
    }

    private void setMode(String subject, String mode) {
        BodyPublisher body = json(Map.of("mode", mode));
        var unused = call("/mode/" + encoded(subject) + "?force=true", request -> request.PUT(body));
    }

    /** The mode that is set for this subject, not that of the registry. */
    private Optional<String> ownMode(String subject) {
        try {
            return Optional.of(field(call("/mode/" + encoded(subject), HttpRequest.Builder::GET), "mode")
                    .asText());
        } catch (RegistryException e) {
            if (e.errorCode() == RegistryErrorCode.NO_MODE || e.errorCode() == RegistryErrorCode.UNKNOWN_SUBJECT) {
                return Optional.empty();
            }
            throw e;
        }
    }

    /** Removes the mode of the subject; a registry that cannot do this gets the mode that subjects have by default. */
    private void deleteMode(String subject) {
        try {
            var unused = callOnce("/mode/" + encoded(subject), HttpRequest.Builder::DELETE);
        } catch (RegistryException e) {
            LOG.atDebug().addKeyValue("reason", e.getMessage()).log("mode not deleted");
            setMode(subject, "READWRITE");
        }
    }

    /** Sets the level of a subject without one. After a failure the next registration under the subject tries again. */
    private void requireLevel(String subject) {
        try {
            Optional<String> level = ownLevel(subject);
            if (level.isEmpty()) {
                BodyPublisher body = json(Map.of("compatibility", LEVEL.name()));
                var unused = callOnce("/config/" + encoded(subject), request -> request.PUT(body));
            }
            if (subjectsWithLevel.add(subject)) {
                level.filter(each -> !each.equals(LEVEL.name())).ifPresent(each -> warnOfWeakLevel(subject, each));
            }
        } catch (RegistryException e) {
            if (subjectsWithFailure.add(subject)) {
                LOG.atWarn()
                        .addKeyValue("subject", subject)
                        .addKeyValue("reason", e.getMessage())
                        .log(
                                "compatibility level not set: set it to FULL_TRANSITIVE, or incompatible schemas can be registered");
            }
        }
    }

    /** The level that is set for this subject, not the default of the registry. */
    private Optional<String> ownLevel(String subject) {
        try {
            String level = field(
                            callOnce("/config/" + encoded(subject), HttpRequest.Builder::GET), "compatibilityLevel")
                    .asText();
            return Optional.of(level).filter(each -> !isUnsetInApicurio(each));
        } catch (RegistryException e) {
            if (e.errorCode() == RegistryErrorCode.NO_LEVEL || e.errorCode() == RegistryErrorCode.UNKNOWN_SUBJECT) {
                return Optional.empty(); // UNKNOWN_SUBJECT: registries before error code 40408
            }
            throw e;
        }
    }

    /** Apicurio answers {@code NONE} for a subject without a level, and deletes the level of a subject that is set to it. */
    private boolean isUnsetInApicurio(String level) {
        return level.equals(CompatibilityLevel.NONE.name())
                && settings.url().getPath().contains(APICURIO_PATH);
    }

    private static void warnOfWeakLevel(String subject, String level) {
        LOG.atWarn()
                .addKeyValue("subject", subject)
                .addKeyValue("level", level)
                .log(
                        "compatibility level is weaker than FULL_TRANSITIVE, so incompatible schemas can be registered; it is kept");
    }

    @Override
    public Schema byId(int id) {
        String text = field(call("/schemas/ids/" + id, HttpRequest.Builder::GET), "schema")
                .asText();
        return parsed(text, "schema " + id);
    }

    private Schema parsed(String text, String name) {
        try {
            return new Schema.Parser().parse(text);
        } catch (AvroRuntimeException e) {
            throw new RegistryException(
                    RegistryErrorCode.INVALID_SCHEMA,
                    "%s: %s is not an Avro schema: %s".formatted(settings.url(), name, e.getMessage()),
                    e);
        }
    }

    /** Sets the compatibility level of a subject. Without it, some registries accept any change. */
    public void setLevel(String subject, CompatibilityLevel level) {
        BodyPublisher body = json(Map.of("compatibility", level.name()));
        var unused = call("/config/" + encoded(subject), request -> request.PUT(body));
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

    private JsonNode call(String path, UnaryOperator<HttpRequest.Builder> method) {
        var retries = RetryPolicy.withJitter(BACKOFF_MIN, BACKOFF_MAX);
        for (int attempt = 1; ; attempt++) {
            try {
                JsonNode answer = callOnce(path, method);
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

    private JsonNode callOnce(String path, UnaryOperator<HttpRequest.Builder> method) {
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
