package dev.claimstream.kubernetes.api;

import com.fasterxml.jackson.databind.JsonNode;
import dev.claimstream.manifests.tree.DocumentNode;
import dev.claimstream.manifests.tree.ObjectLimits;
import dev.claimstream.manifests.tree.ScalarType;
import dev.claimstream.manifests.tree.TextPool;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;

/**
 * Converts parsed JSON to the tree that the readers of manifests take, so that no object is parsed twice.
 *
 * <p>Of the limits, nesting and the number of values count; the API server limits the bytes. All values have the
 * location 1:1, since the JSON of an API server has one line.
 */
final class JsonDocument {
    private final ObjectLimits limits;
    private final TextPool texts = new TextPool();
    private int nodes;

    private JsonDocument(ObjectLimits limits) {
        this.limits = limits;
    }

    /**
     * Returns the tree of a JSON value.
     *
     * @throws ObjectLimitException if the value exceeds a limit
     */
    static DocumentNode of(JsonNode json, ObjectLimits limits) {
        return new JsonDocument(limits).value(json, 0);
    }

    /** Thrown if an object exceeds a limit. The message names the limit. */
    static final class ObjectLimitException extends RuntimeException {
        private static final long serialVersionUID = 1;

        private final String limit;

        private ObjectLimitException(String message) {
            super(message);
            this.limit = message;
        }

        /** Returns the limit in words. */
        String limit() {
            return limit;
        }
    }

    private DocumentNode value(JsonNode json, int depth) {
        if (depth > limits.nestingMax()) {
            throw new ObjectLimitException("values are nested more than %d levels deep".formatted(limits.nestingMax()));
        }
        if (++nodes > limits.nodesMax()) {
            throw new ObjectLimitException("it has more than %d values".formatted(limits.nodesMax()));
        }
        return switch (json.getNodeType()) {
            case OBJECT -> mapping(json, depth);
            case ARRAY -> sequence(json, depth);
            case STRING -> scalar(json, ScalarType.TEXT);
            case BOOLEAN -> scalar(json, ScalarType.BOOL);
            case NUMBER -> scalar(json, json.isIntegralNumber() ? ScalarType.INTEGER : ScalarType.FLOAT);
            case NULL, MISSING, BINARY, POJO -> scalar(json, ScalarType.NULL); // parsed JSON has none of the last three
        };
    }

    private DocumentNode.DocumentScalar scalar(JsonNode json, ScalarType type) {
        return new DocumentNode.DocumentScalar(texts.intern(json.asText()), type, 1, 1);
    }

    private DocumentNode.DocumentSequence sequence(JsonNode json, int depth) {
        List<DocumentNode> items = new ArrayList<>(json.size());
        int size = 1;
        for (JsonNode each : json) {
            DocumentNode item = value(each, depth + 1);
            size += item.size();
            items.add(item);
        }
        return new DocumentNode.DocumentSequence(items, 1, 1, size);
    }

    private DocumentNode.DocumentMapping mapping(JsonNode json, int depth) {
        SequencedMap<String, DocumentNode.DocumentField> fields = LinkedHashMap.newLinkedHashMap(json.size());
        int size = 1;
        for (var field : json.properties()) {
            DocumentNode value = value(field.getValue(), depth + 1);
            size += value.size();
            fields.put(field.getKey(), new DocumentNode.DocumentField(texts.intern(field.getKey()), 1, 1, value));
        }
        return new DocumentNode.DocumentMapping(fields, List.of(), 1, 1, size);
    }
}
