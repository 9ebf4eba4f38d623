package dev.claimstream.console;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SpecVersion;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;

/** The OpenAPI description that a console serves, and a check of responses against it. */
final class ApiDescription {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final JsonSchemaFactory SCHEMAS = JsonSchemaFactory.getInstance(SpecVersion.VersionFlag.V4);

    private static final int FORBIDDEN = 403;

    private final JsonNode document;

    ApiDescription(String document) {
        this.document = json(document);
    }

    /** An operation. */
    record Operation(String method, String path, JsonNode description) {
        /** Returns the names of the parameters in the path or in the query. */
        List<String> parameters(String in) {
            List<String> names = new ArrayList<>();
            description.path("parameters").forEach(each -> {
                if (each.path("in").asText().equals(in)) {
                    names.add(each.path("name").asText());
                }
            });
            return names;
        }

        boolean hasBody() {
            return description.has("requestBody");
        }

        /** Returns the media types of the response with status 200. */
        SortedSet<String> types() {
            var types = new TreeSet<String>();
            description.at("/responses/200/content").fieldNames().forEachRemaining(types::add);
            return types;
        }

        @Override
        public String toString() {
            return method + " " + path;
        }
    }

    private static JsonNode json(String text) {
        try {
            return JSON.readTree(text);
        } catch (JsonProcessingException e) {
            throw new AssertionError("no JSON: " + text, e);
        }
    }

    List<Operation> operations() {
        List<Operation> operations = new ArrayList<>();
        for (Map.Entry<String, JsonNode> path : document.get("paths").properties()) {
            for (Map.Entry<String, JsonNode> method : path.getValue().properties()) {
                operations.add(new Operation(
                        method.getKey().toUpperCase(java.util.Locale.ROOT), path.getKey(), method.getValue()));
            }
        }
        return operations;
    }

    /** Returns what is wrong with a response; empty if it is as described. */
    List<String> problems(Operation operation, int status, Optional<String> type, String body) {
        JsonNode described = operation.description().path("responses").path(Integer.toString(status));
        if (described.isMissingNode()) {
            return List.of("status %d is not described".formatted(status));
        }
        JsonNode response =
                described.has("$ref") ? resolve(described.get("$ref").asText()) : described;
        if (!response.has("content")) {
            return body.isEmpty() ? List.of() : List.of("no body is described");
        }
        if (status == FORBIDDEN && type.isEmpty() && body.isEmpty()) {
            return List.of(); // the server itself rejects pages of other origins, without a body
        }
        String media = type.map(each -> each.split(";", 2)[0].strip()).orElse("");
        JsonNode content = response.get("content").path(media);
        if (content.isMissingNode()) {
            content = response.get("content").path("*/*");
        }
        if (content.isMissingNode()) {
            return List.of("type %s of status %d is not described".formatted(media, status));
        }
        JsonNode schema = content.get("schema");
        List<String> problems = new ArrayList<>();
        if (media.equals(ListResponse.LINES)) {
            body.lines().filter(line -> !line.isBlank()).forEach(line -> problems.addAll(problems(schema, json(line))));
        } else if (media.endsWith("json")) {
            problems.addAll(problems(schema, json(body)));
        }
        return problems;
    }

    private JsonNode resolve(String reference) {
        JsonNode found = document.at(reference.substring(1));
        if (found.isMissingNode()) {
            throw new AssertionError("the description has no " + reference);
        }
        return found;
    }

    /** Returns the violations of a schema of the description by a value. */
    List<String> problems(String schema, String value) {
        ObjectNode reference = JSON.createObjectNode();
        reference.put("$ref", "#/components/schemas/" + schema);
        return problems(reference, json(value));
    }

    private List<String> problems(JsonNode schema, JsonNode value) {
        if (schema.has("$ref")) {
            resolve(schema.get("$ref").asText());
        }
        ObjectNode root = JSON.createObjectNode();
        root.set("components", document.get("components"));
        root.putArray("allOf").add(schema);
        return SCHEMAS.getSchema(root).validate(value).stream()
                .map(each -> each.getMessage())
                .toList();
    }
}
