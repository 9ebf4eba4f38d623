package dev.claimstream.kafka.contracts;

import org.apache.avro.JsonProperties;
import org.apache.avro.LogicalType;
import org.apache.avro.Schema;

/** Type and default of a field, as HTML. */
final class FieldHtml {
    private FieldHtml() {}

    /** The type in Avro's words, with links to records. The null of an optional field is not part of it. */
    static String type(Schema schema) {
        return switch (schema.getType()) {
            case RECORD -> Html.link(recordAnchor(schema.getName()), schema.getName());
            case ARRAY -> "array of " + type(schema.getElementType());
            case MAP -> "map of " + type(schema.getValueType());
            case UNION -> type(schema.getTypes().getLast());
            default -> {
                LogicalType logical = schema.getLogicalType();
                String name = schema.getType().getName();
                yield Html.code(name) + (logical == null ? "" : ", " + Html.code(logical.getName()));
            }
        };
    }

    /** The default as JSON; {@code required} for a field without one. */
    static String defaultOf(Schema.Field field) {
        if (!field.hasDefaultValue()) {
            return "required";
        }
        Object value = field.defaultVal();
        return Html.code(
                value == JsonProperties.NULL_VALUE
                        ? "null"
                        : value instanceof String text ? "\"" + text + "\"" : String.valueOf(value));
    }

    static String recordAnchor(String name) {
        return "record-" + name;
    }
}
