package dev.claimstream.kafka.registry;

import com.fasterxml.jackson.databind.JsonNode;
import dev.claimstream.kafka.registry.RegistryException.RegistryErrorCode;
import dev.claimstream.kafka.security.AccessFault;
import dev.claimstream.kafka.security.RegistryLogin;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
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
    private static final String APICURIO_PATH = "/ccompat/";

    private final RegistrySettings settings;
    private final RegistryTransport transport;
    private final Set<String> subjectsWithLevel = ConcurrentHashMap.newKeySet();
    private final Set<String> subjectsWithFailure = ConcurrentHashMap.newKeySet();

    /** How a client gets the id of a schema that it needs. */
    public enum Registration {
        /** It registers the schema. */
        REGISTER,
        /** It only looks up the id of the registered schema, for which it needs no permission to write. */
        LOOK_UP
    }

    /**
     * URL and credentials of the registry.
     *
     * @param url URL with the path of the protocol, for example {@code http://host/apis/ccompat/v7}
     * @param login how the client authenticates
     * @param ca PEM file of the authorities that sign the registry's certificate; empty: those of the JVM
     * @param timeout timeout per attempt
     * @param registration whether the client registers the schemas that it needs
     */
    public record RegistrySettings(
            URI url, RegistryLogin login, Optional<Path> ca, Duration timeout, Registration registration) {
        /** Settings without authentication and with a timeout of 5 s per attempt. The client registers its schemas. */
        public static RegistrySettings of(URI url) {
            return new RegistrySettings(
                    url, new RegistryLogin.Anonymous(), Optional.empty(), Duration.ofSeconds(5), Registration.REGISTER);
        }

        /** A copy with this authentication. */
        public RegistrySettings as(RegistryLogin other) {
            return new RegistrySettings(url, other, ca, timeout, registration);
        }

        /** A copy that trusts the authorities of this PEM file only. */
        public RegistrySettings trusting(Path file) {
            return new RegistrySettings(url, login, Optional.of(file), timeout, registration);
        }

        /** A copy with another timeout per attempt. */
        public RegistrySettings within(Duration other) {
            return new RegistrySettings(url, login, ca, other, registration);
        }

        /** A copy with another registration. */
        public RegistrySettings with(Registration other) {
            return new RegistrySettings(url, login, ca, timeout, other);
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
        transport = new RegistryTransport(settings);
    }

    /** The settings of this client. */
    public RegistrySettings settings() {
        return settings;
    }

    /** Asks the registry once; returns why it grants no access, and nothing if it does or does not respond. */
    public Optional<AccessFault> accessFault() {
        try {
            return isRejected(transport.status("/subjects"))
                    ? Optional.of(AccessFault.CREDENTIALS_REJECTED)
                    : Optional.empty();
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
        transport.send("/subjects", HttpRequest.Builder::GET).forEach(each -> subjects.add(each.asText()));
        subjects.sort(null);
        return subjects;
    }

    /** The compatibility level of a subject: its own, or the default of the registry. */
    public String level(String subject) {
        return ownLevel(subject)
                .orElseGet(() -> field(transport.sendOnce("/config", HttpRequest.Builder::GET), "compatibilityLevel")
                        .asText());
    }

    /** The schemas of a subject, oldest first. */
    public List<Schema> versions(String subject) {
        String path = "/subjects/" + encoded(subject) + "/versions";
        List<Schema> schemas = new ArrayList<>();
        transport.send(path, HttpRequest.Builder::GET).forEach(version -> {
            JsonNode response = transport.send(path + "/" + version.asInt(), HttpRequest.Builder::GET);
            schemas.add(
                    parsed(field(response, "schema").asText(), "version %d of %s".formatted(version.asInt(), subject)));
        });
        return schemas;
    }

    /** Registers the schema, or looks it up, as the settings say. */
    @Override
    public int register(String subject, Schema schema) {
        BodyPublisher body = json(Map.of("schema", schema.toString()));
        if (settings.registration() == Registration.LOOK_UP) {
            return registeredId(subject, body);
        }
        JsonNode response =
                transport.send("/subjects/" + encoded(subject) + "/versions", request -> request.POST(body));
        int id = field(response, "id").asInt();
        if (!subjectsWithLevel.contains(subject)) {
            requireLevel(subject);
        }
        return id;
    }

    private int registeredId(String subject, BodyPublisher body) {
        try {
            return field(transport.send("/subjects/" + encoded(subject), request -> request.POST(body)), "id")
                    .asInt();
        } catch (RegistryException e) {
            boolean isMissing =
                    e.errorCode() == RegistryErrorCode.UNKNOWN_SUBJECT || e.errorCode() == RegistryErrorCode.UNKNOWN_ID;
            throw isMissing ? notRegistered(subject, e) : e;
        }
    }

    /** A retry may succeed, because another program registers the schema. */
    private RegistryException notRegistered(String subject, RegistryException cause) {
        String reason = "%s: the schema of this version is not registered under %s: run 'claimstream topics --register'"
                .formatted(settings.url(), subject);
        transport.fail(reason);
        return new RegistryException(RegistryErrorCode.FAILED, reason, cause);
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
            var unused = transport.send("/subjects/" + encoded(subject) + "/versions", request -> request.POST(body));
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
        var unused = transport.send("/mode/" + encoded(subject) + "?force=true", request -> request.PUT(body));
    }

    /** The mode that is set for this subject, not that of the registry. */
    private Optional<String> ownMode(String subject) {
        try {
            return Optional.of(field(transport.send("/mode/" + encoded(subject), HttpRequest.Builder::GET), "mode")
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
            var unused = transport.sendOnce("/mode/" + encoded(subject), HttpRequest.Builder::DELETE);
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
                var unused = transport.sendOnce("/config/" + encoded(subject), request -> request.PUT(body));
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
                            transport.sendOnce("/config/" + encoded(subject), HttpRequest.Builder::GET),
                            "compatibilityLevel")
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
        String text = field(transport.send("/schemas/ids/" + id, HttpRequest.Builder::GET), "schema")
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
        var unused = transport.send("/config/" + encoded(subject), request -> request.PUT(body));
    }

    /**
     * The error of the last request if a retry may succeed; empty after a success.
     *
     * <p>Requests are rare, because their results are cached: the error may be old.
     */
    public Optional<String> currentError() {
        return transport.currentError();
    }

    @Override
    public void close() {
        transport.close();
    }

    private JsonNode field(JsonNode response, String name) {
        if (!response.has(name)) {
            throw RegistryException.of(
                    RegistryErrorCode.FAILED,
                    "%s responds without %s: it is not a schema registry".formatted(settings.url(), name));
        }
        return response.get(name);
    }

    private static BodyPublisher json(Object body) {
        return BodyPublishers.ofString(RegistryJson.write(body));
    }

    private static String encoded(String part) {
        return URLEncoder.encode(part, StandardCharsets.UTF_8).replace("+", "%20");
    }
}
