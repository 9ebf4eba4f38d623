package dev.claimstream.kafka.registry;

import com.fasterxml.jackson.databind.JsonNode;
import dev.claimstream.kafka.registry.RegistryException.RegistryErrorCode;
import dev.claimstream.kafka.registry.SchemaCatalog.SchemaVersion;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.avro.AvroRuntimeException;
import org.apache.avro.Schema;

/** Maps the paths of Confluent's protocol to the catalog, as far as Avro clients use them. */
final class RegistryRoutes {
    private static final int OK = 200;
    private static final String LATEST = "latest";

    private final SchemaCatalog catalog;
    private final SubjectModes modes = new SubjectModes();

    RegistryRoutes(SchemaCatalog catalog) {
        this.catalog = catalog;
    }

    /** A request. A missing body is an empty object. */
    record RegistryRequest(String method, URI uri, JsonNode body) {
        List<String> path() {
            return Arrays.stream(uri.getRawPath().split("/"))
                    .filter(part -> !part.isEmpty())
                    .map(part -> URLDecoder.decode(part.replace("+", "%2B"), StandardCharsets.UTF_8))
                    .toList();
        }

        boolean hasFlag(String flag) {
            String query = uri.getQuery();
            return query != null && Arrays.asList(query.split("&")).contains(flag + "=true");
        }

        String text(String field) {
            return body.path(field).asText("");
        }
    }

    /** A status and the JSON body. */
    record RegistryResponse(int status, Object body) {
        static RegistryResponse ok(Object body) {
            return new RegistryResponse(OK, body);
        }
    }

    RegistryResponse handle(RegistryRequest call) {
        List<String> path = call.path();
        String first = path.isEmpty() ? "" : path.getFirst();
        return switch (first) {
            case "" -> RegistryResponse.ok(Map.of());
            case "subjects" -> subjects(call, path);
            case "schemas" -> schemas(call, path);
            case "config" -> config(call, path);
            case "compatibility" -> compatibility(call, path);
            case "mode" -> mode(call, path);
            default -> notServed(call);
        };
    }

    private RegistryResponse subjects(RegistryRequest call, List<String> path) {
        boolean reads = call.method().equals("GET");
        boolean posts = call.method().equals("POST");
        if (reads && path.size() == 1) {
            return RegistryResponse.ok(catalog.subjects());
        }
        if (posts && path.size() == 2) {
            return RegistryResponse.ok(findSchema(path.get(1), schema(call)));
        }
        if (path.size() < 3 || !path.get(2).equals("versions")) {
            return notServed(call);
        }
        String subject = path.get(1);
        if (posts && path.size() == 3) {
            int id = call.body().path("id").asInt();
            modes.check(subject, id > 0);
            return RegistryResponse.ok(Map.of(
                    "id",
                    id > 0 ? catalog.restore(subject, schema(call), id) : catalog.register(subject, schema(call))));
        }
        if (reads && path.size() == 3) {
            return RegistryResponse.ok(requireVersions(subject).stream()
                    .map(SchemaVersion::version)
                    .toList());
        }
        if (reads && path.size() == 4) {
            return RegistryResponse.ok(describe(version(subject, path.get(3))));
        }
        if (reads && path.size() == 5 && path.get(4).equals("schema")) {
            return RegistryResponse.ok(tree(version(subject, path.get(3)).schema()));
        }
        return notServed(call);
    }

    private RegistryResponse schemas(RegistryRequest call, List<String> path) {
        if (path.equals(List.of("schemas", "types"))) {
            return RegistryResponse.ok(List.of("AVRO"));
        }
        if (path.size() < 3 || !path.get(1).equals("ids")) {
            return notServed(call);
        }
        int id = number(path.get(2), RegistryErrorCode.UNKNOWN_ID);
        Schema schema = catalog.byId(id);
        return switch (path.size() == 3 ? "" : path.get(3)) {
            case "" -> RegistryResponse.ok(Map.of("schema", schema.toString()));
            case "schema" -> RegistryResponse.ok(tree(schema));
            case "subjects" ->
                RegistryResponse.ok(catalog.uses(id).stream()
                        .map(SchemaVersion::subject)
                        .distinct()
                        .toList());
            case "versions" ->
                RegistryResponse.ok(catalog.uses(id).stream()
                        .map(use -> Map.of("subject", use.subject(), "version", use.version()))
                        .toList());
            default -> notServed(call);
        };
    }

    private RegistryResponse config(RegistryRequest call, List<String> path) {
        Optional<String> subject = path.size() > 1 ? Optional.of(path.get(1)) : Optional.empty();
        return switch (call.method()) {
            case "GET" ->
                RegistryResponse.ok(
                        Map.of("compatibilityLevel", level(call, subject).name()));
            case "PUT" -> {
                CompatibilityLevel level = requestedLevel(call);
                catalog.setLevel(subject, level);
                yield RegistryResponse.ok(Map.of("compatibility", level.name()));
            }
            default -> notServed(call);
        };
    }

    private RegistryResponse mode(RegistryRequest call, List<String> path) {
        Optional<String> subject = path.size() > 1 ? Optional.of(path.get(1)) : Optional.empty();
        return switch (call.method()) {
            case "GET" ->
                modeResponse(
                        subject.isEmpty() || call.hasFlag("defaultToGlobal")
                                ? modes.effective(subject)
                                : modes.own(subject).orElseThrow(() -> noMode(subject)));
            case "PUT" -> {
                SubjectModes.RegistrationMode mode = SubjectModes.parse(call.text("mode"));
                boolean isNew = subject.map(catalog::versions).orElse(List.of()).isEmpty();
                if (mode == SubjectModes.RegistrationMode.IMPORT && !isNew && !call.hasFlag("force")) {
                    throw RegistryException.of(
                            RegistryErrorCode.NOT_PERMITTED,
                            "subject '%s' has schemas: add force=true to import into it".formatted(subject.orElse("")));
                }
                modes.set(subject, mode);
                yield modeResponse(mode);
            }
            case "DELETE" -> modeResponse(modes.remove(subject).orElseThrow(() -> noMode(subject)));
            default -> notServed(call);
        };
    }

    private static RegistryException noMode(Optional<String> subject) {
        return RegistryException.of(
                RegistryErrorCode.NO_MODE, "subject '%s' has no mode of its own".formatted(subject.orElse("")));
    }

    private static RegistryResponse modeResponse(SubjectModes.RegistrationMode mode) {
        return RegistryResponse.ok(Map.of("mode", mode.name()));
    }

    private CompatibilityLevel level(RegistryRequest call, Optional<String> subject) {
        if (subject.isEmpty()) {
            return catalog.defaultLevel();
        }
        return call.hasFlag("defaultToGlobal")
                ? catalog.level(subject.get())
                : catalog.ownLevel(subject.get())
                        .orElseThrow(() -> RegistryException.of(
                                RegistryErrorCode.NO_LEVEL,
                                "subject '%s' has no compatibility level of its own".formatted(subject.get())));
    }

    private static CompatibilityLevel requestedLevel(RegistryRequest call) {
        return CompatibilityLevel.parse(call.text("compatibility"))
                .orElseThrow(() -> RegistryException.of(
                        RegistryErrorCode.INVALID_LEVEL,
                        "compatibility is '%s', which is none of %s"
                                .formatted(call.text("compatibility"), Arrays.toString(CompatibilityLevel.values()))));
    }

    private RegistryResponse compatibility(RegistryRequest call, List<String> path) {
        boolean fits = call.method().equals("POST")
                && path.size() >= 4
                && path.get(1).equals("subjects")
                && path.get(3).equals("versions");
        if (!fits) {
            return notServed(call);
        }
        String subject = path.get(2);
        List<String> objections = path.size() == 4
                ? catalog.objections(subject, schema(call))
                : catalog.objections(subject, schema(call), List.of(version(subject, path.get(4))));
        return RegistryResponse.ok(
                call.hasFlag("verbose")
                        ? Map.of("is_compatible", objections.isEmpty(), "messages", objections)
                        : Map.of("is_compatible", objections.isEmpty()));
    }

    private Map<String, Object> findSchema(String subject, Schema schema) {
        requireVersions(subject);
        return describe(catalog.find(subject, schema)
                .orElseThrow(() -> RegistryException.of(
                        RegistryErrorCode.UNKNOWN_ID, "subject '%s' does not have this schema".formatted(subject))));
    }

    private List<SchemaVersion> requireVersions(String subject) {
        List<SchemaVersion> versions = catalog.versions(subject);
        if (versions.isEmpty()) {
            throw RegistryException.of(RegistryErrorCode.UNKNOWN_SUBJECT, "subject '%s' not found".formatted(subject));
        }
        return versions;
    }

    private SchemaVersion version(String subject, String name) {
        List<SchemaVersion> versions = requireVersions(subject);
        if (name.equals(LATEST)) {
            return versions.getLast();
        }
        int number = number(name, RegistryErrorCode.INVALID_VERSION);
        if (number < 1) {
            throw RegistryException.of(
                    RegistryErrorCode.INVALID_VERSION, "version '%s' is not positive".formatted(name));
        }
        return versions.stream()
                .filter(each -> each.version() == number)
                .findFirst()
                .orElseThrow(() -> RegistryException.of(
                        RegistryErrorCode.UNKNOWN_VERSION,
                        "subject '%s' has no version %d".formatted(subject, number)));
    }

    private static int number(String text, RegistryErrorCode reason) {
        try {
            return Integer.parseInt(text);
        } catch (NumberFormatException e) {
            throw new RegistryException(reason, "'%s' is not a number".formatted(text), e);
        }
    }

    private static Schema schema(RegistryRequest call) {
        String type = call.text("schemaType");
        if (!type.isEmpty() && !type.equals("AVRO")) {
            throw RegistryException.of(
                    RegistryErrorCode.INVALID_SCHEMA, "schemaType is %s, this registry takes AVRO".formatted(type));
        }
        if (!call.body().path("references").isEmpty()) {
            throw RegistryException.of(
                    RegistryErrorCode.INVALID_SCHEMA,
                    "references are not supported: send the schema with all types in it");
        }
        try {
            return new Schema.Parser().parse(call.text("schema"));
        } catch (AvroRuntimeException e) {
            throw new RegistryException(RegistryErrorCode.INVALID_SCHEMA, "not an Avro schema: " + e.getMessage(), e);
        }
    }

    private static Map<String, Object> describe(SchemaVersion version) {
        return Map.of(
                "subject", version.subject(),
                "version", version.version(),
                "id", version.id(),
                "schema", version.schema().toString());
    }

    private static JsonNode tree(Schema schema) {
        return RegistryJson.parse(schema.toString());
    }

    private static RegistryResponse notServed(RegistryRequest call) {
        return new RegistryResponse(
                404, Map.of("error_code", 404, "message", "%s %s is not served".formatted(call.method(), call.uri())));
    }
}
