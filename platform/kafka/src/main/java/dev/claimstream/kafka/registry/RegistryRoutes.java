package dev.claimstream.kafka.registry;

import com.fasterxml.jackson.databind.JsonNode;
import dev.claimstream.kafka.registry.RegistryException.Reason;
import dev.claimstream.kafka.registry.SchemaCatalog.Version;
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

    RegistryRoutes(SchemaCatalog catalog) {
        this.catalog = catalog;
    }

    /** A request. A missing body is an empty object. */
    record Call(String method, URI uri, JsonNode body) {
        List<String> path() {
            return Arrays.stream(uri.getRawPath().split("/"))
                    .filter(part -> !part.isEmpty())
                    .map(part -> URLDecoder.decode(part.replace("+", "%2B"), StandardCharsets.UTF_8))
                    .toList();
        }

        boolean asks(String flag) {
            String query = uri.getQuery();
            return query != null && Arrays.asList(query.split("&")).contains(flag + "=true");
        }

        String text(String field) {
            return body.path(field).asText("");
        }
    }

    /** A status and the JSON body. */
    record Answer(int status, Object body) {
        static Answer ok(Object body) {
            return new Answer(OK, body);
        }
    }

    Answer answer(Call call) {
        List<String> path = call.path();
        String first = path.isEmpty() ? "" : path.getFirst();
        return switch (first) {
            case "" -> Answer.ok(Map.of());
            case "subjects" -> subjects(call, path);
            case "schemas" -> schemas(call, path);
            case "config" -> config(call, path);
            case "compatibility" -> compatibility(call, path);
            case "mode" -> Answer.ok(Map.of("mode", "READWRITE"));
            default -> unknown(call);
        };
    }

    private Answer subjects(Call call, List<String> path) {
        boolean reads = call.method().equals("GET");
        boolean posts = call.method().equals("POST");
        if (reads && path.size() == 1) {
            return Answer.ok(catalog.subjects());
        }
        if (posts && path.size() == 2) {
            return Answer.ok(found(path.get(1), schema(call)));
        }
        if (path.size() < 3 || !path.get(2).equals("versions")) {
            return unknown(call);
        }
        String subject = path.get(1);
        if (posts && path.size() == 3) {
            return Answer.ok(Map.of("id", catalog.register(subject, schema(call))));
        }
        if (reads && path.size() == 3) {
            return Answer.ok(known(subject).stream().map(Version::version).toList());
        }
        if (reads && path.size() == 4) {
            return Answer.ok(described(version(subject, path.get(3))));
        }
        if (reads && path.size() == 5 && path.get(4).equals("schema")) {
            return Answer.ok(tree(version(subject, path.get(3)).schema()));
        }
        return unknown(call);
    }

    private Answer schemas(Call call, List<String> path) {
        if (path.equals(List.of("schemas", "types"))) {
            return Answer.ok(List.of("AVRO"));
        }
        if (path.size() < 3 || !path.get(1).equals("ids")) {
            return unknown(call);
        }
        int id = number(path.get(2), Reason.UNKNOWN_ID);
        Schema schema = catalog.byId(id);
        return switch (path.size() == 3 ? "" : path.get(3)) {
            case "" -> Answer.ok(Map.of("schema", schema.toString()));
            case "schema" -> Answer.ok(tree(schema));
            case "subjects" ->
                Answer.ok(catalog.uses(id).stream()
                        .map(Version::subject)
                        .distinct()
                        .toList());
            case "versions" ->
                Answer.ok(catalog.uses(id).stream()
                        .map(use -> Map.of("subject", use.subject(), "version", use.version()))
                        .toList());
            default -> unknown(call);
        };
    }

    private Answer config(Call call, List<String> path) {
        Optional<String> subject = path.size() > 1 ? Optional.of(path.get(1)) : Optional.empty();
        return switch (call.method()) {
            case "GET" ->
                Answer.ok(Map.of("compatibilityLevel", level(call, subject).name()));
            case "PUT" -> {
                CompatibilityLevel level = wantedLevel(call);
                catalog.setLevel(subject, level);
                yield Answer.ok(Map.of("compatibility", level.name()));
            }
            default -> unknown(call);
        };
    }

    private CompatibilityLevel level(Call call, Optional<String> subject) {
        if (subject.isEmpty()) {
            return catalog.defaultLevel();
        }
        return call.asks("defaultToGlobal")
                ? catalog.level(subject.get())
                : catalog.ownLevel(subject.get())
                        .orElseThrow(() -> RegistryException.of(
                                Reason.NO_LEVEL,
                                "subject '%s' has no compatibility level of its own".formatted(subject.get())));
    }

    private static CompatibilityLevel wantedLevel(Call call) {
        return CompatibilityLevel.named(call.text("compatibility"))
                .orElseThrow(() -> RegistryException.of(
                        Reason.INVALID_LEVEL,
                        "compatibility is '%s', which is none of %s"
                                .formatted(call.text("compatibility"), Arrays.toString(CompatibilityLevel.values()))));
    }

    private Answer compatibility(Call call, List<String> path) {
        boolean fits = call.method().equals("POST")
                && path.size() >= 4
                && path.get(1).equals("subjects")
                && path.get(3).equals("versions");
        if (!fits) {
            return unknown(call);
        }
        String subject = path.get(2);
        List<String> objections = path.size() == 4
                ? catalog.objections(subject, schema(call))
                : catalog.objections(subject, schema(call), List.of(version(subject, path.get(4))));
        return Answer.ok(
                call.asks("verbose")
                        ? Map.of("is_compatible", objections.isEmpty(), "messages", objections)
                        : Map.of("is_compatible", objections.isEmpty()));
    }

    private Map<String, Object> found(String subject, Schema schema) {
        known(subject);
        return described(catalog.find(subject, schema)
                .orElseThrow(() -> RegistryException.of(
                        Reason.UNKNOWN_ID, "subject '%s' does not have this schema".formatted(subject))));
    }

    private List<Version> known(String subject) {
        List<Version> versions = catalog.versions(subject);
        if (versions.isEmpty()) {
            throw RegistryException.of(Reason.UNKNOWN_SUBJECT, "subject '%s' not found".formatted(subject));
        }
        return versions;
    }

    private Version version(String subject, String name) {
        List<Version> versions = known(subject);
        if (name.equals(LATEST)) {
            return versions.getLast();
        }
        int number = number(name, Reason.INVALID_VERSION);
        if (number < 1) {
            throw RegistryException.of(Reason.INVALID_VERSION, "version '%s' is not positive".formatted(name));
        }
        return versions.stream()
                .filter(each -> each.version() == number)
                .findFirst()
                .orElseThrow(() -> RegistryException.of(
                        Reason.UNKNOWN_VERSION, "subject '%s' has no version %d".formatted(subject, number)));
    }

    private static int number(String text, Reason reason) {
        try {
            return Integer.parseInt(text);
        } catch (NumberFormatException e) {
            throw new RegistryException(reason, "'%s' is no number".formatted(text), e);
        }
    }

    private static Schema schema(Call call) {
        String type = call.text("schemaType");
        if (!type.isEmpty() && !type.equals("AVRO")) {
            throw RegistryException.of(
                    Reason.INVALID_SCHEMA, "schemaType is %s, this registry takes AVRO".formatted(type));
        }
        if (!call.body().path("references").isEmpty()) {
            throw RegistryException.of(
                    Reason.INVALID_SCHEMA, "references are not taken: send the schema with everything in it");
        }
        try {
            return new Schema.Parser().parse(call.text("schema"));
        } catch (AvroRuntimeException e) {
            throw new RegistryException(Reason.INVALID_SCHEMA, "no Avro schema: " + e.getMessage(), e);
        }
    }

    private static Map<String, Object> described(Version version) {
        return Map.of(
                "subject", version.subject(),
                "version", version.version(),
                "id", version.id(),
                "schema", version.schema().toString());
    }

    private static JsonNode tree(Schema schema) {
        return JsonText.parse(schema.toString());
    }

    private static Answer unknown(Call call) {
        return new Answer(
                404, Map.of("error_code", 404, "message", "%s %s is not served".formatted(call.method(), call.uri())));
    }
}
