package dev.claimstream.kafka;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.io.UncheckedIOException;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;

/** Removes Java-specific properties from the schemas of generated classes, so that they equal the contracts. */
public final class PublishedSchema {
    private static final ObjectMapper JSON = new ObjectMapper();

    private PublishedSchema() {}

    /** The contract of a generated class. */
    public static Schema of(Schema generated) {
        try {
            return new Schema.Parser().parse(JSON.writeValueAsString(plain(JSON.readTree(generated.toString()))));
        } catch (JsonProcessingException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static JsonNode plain(JsonNode node) {
        if (node instanceof ObjectNode object) {
            object.remove(GenericData.STRING_PROP);
            object.properties().forEach(field -> field.setValue(plain(field.getValue())));
            JsonNode type = object.get("type");
            return object.size() == 1 && type != null && type.isTextual() ? TextNode.valueOf(type.asText()) : object;
        }
        if (node.isArray()) {
            var array = JSON.createArrayNode();
            node.forEach(each -> array.add(plain(each)));
            return array;
        }
        return node;
    }
}
