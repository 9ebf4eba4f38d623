package dev.claimstream.history.store;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/** Answers as JSON and as CSV. Times are in UTC, with their zone. */
public final class ResultText {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String TIME = "time";

    private ResultText() {}

    /** The answer as a JSON object. A time is an object with the field {@code time}. */
    public static String json(ResultTable table) {
        ObjectNode object = JSON.createObjectNode();
        ArrayNode columns = object.putArray("columns");
        table.columns().forEach(columns::add);
        ArrayNode rows = object.putArray("rows");
        table.rows().forEach(row -> {
            ArrayNode cells = rows.addArray();
            row.forEach(cell -> cells.add(cell.map(ResultText::node).orElseGet(JSON::nullNode)));
        });
        ArrayNode notes = object.putArray("notes");
        table.notes().forEach(notes::add);
        return text(object);
    }

    /** The rows as a JSON array with an object per row. */
    public static String objects(ResultTable table) {
        ArrayNode array = JSON.createArrayNode();
        table.rows().forEach(row -> {
            ObjectNode object = array.addObject();
            for (int i = 0; i < row.size(); i++) {
                Optional<Object> cell = row.get(i);
                object.set(
                        table.columns().get(i).toLowerCase(Locale.ROOT).replace(' ', '_'),
                        cell.map(each -> each instanceof Instant time
                                        ? JSON.getNodeFactory().textNode(time.toString())
                                        : node(each))
                                .orElseGet(JSON::nullNode));
            }
        });
        return array.toPrettyString();
    }

    private static JsonNode node(Object cell) {
        return switch (cell) {
            case Long number -> JSON.getNodeFactory().numberNode(number);
            case Double number -> JSON.getNodeFactory().numberNode(number);
            case Boolean flag -> JSON.getNodeFactory().booleanNode(flag);
            case Instant time -> JSON.createObjectNode().put(TIME, time.toString());
            default -> JSON.getNodeFactory().textNode(cell.toString());
        };
    }

    /** An error as a JSON object with the fields {@code error} and {@code problem}. */
    public static String error(HistoryException.HistoryProblem problem, String message) {
        return text(JSON.createObjectNode().put("error", message).put("problem", problem.name()));
    }

    /** The error of a response; empty if the text is no error of the history. */
    public static Optional<HistoryException> parseError(String text) {
        try {
            JsonNode object = JSON.readTree(text);
            return object.path("error").isTextual() && object.path("problem").isTextual()
                    ? Optional.of(new HistoryException(
                            HistoryException.HistoryProblem.valueOf(
                                    object.path("problem").asText()),
                            object.path("error").asText()))
                    : Optional.empty();
        } catch (JsonProcessingException | IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    private static String text(JsonNode node) {
        try {
            return JSON.writeValueAsString(node);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("an answer cannot be written", e);
        }
    }

    /**
     * Reads the JSON object of an answer.
     *
     * @throws IllegalArgumentException if the text is not an answer
     */
    public static ResultTable parse(String text) {
        try {
            JsonNode object = JSON.readTree(text);
            if (!object.path("columns").isArray() || !object.path("rows").isArray()) {
                throw new IllegalArgumentException("the response is not an answer of the history");
            }
            List<List<Optional<Object>>> rows = new ArrayList<>();
            object.path("rows").forEach(row -> {
                List<Optional<Object>> cells = new ArrayList<>();
                row.forEach(cell -> cells.add(cell(cell)));
                rows.add(cells);
            });
            return new ResultTable(texts(object.path("columns")), rows, texts(object.path("notes")));
        } catch (JsonProcessingException | DateTimeException e) {
            throw new IllegalArgumentException("the response is not an answer of the history", e);
        }
    }

    private static List<String> texts(JsonNode array) {
        List<String> texts = new ArrayList<>();
        array.forEach(each -> texts.add(each.asText()));
        return texts;
    }

    private static Optional<Object> cell(JsonNode node) {
        if (node.isNull()) {
            return Optional.empty();
        }
        if (node.isObject()) {
            return Optional.of(Instant.parse(node.path(TIME).asText()));
        }
        if (node.isBoolean()) {
            return Optional.of(node.asBoolean());
        }
        if (node.isIntegralNumber()) {
            return Optional.of(node.asLong());
        }
        return Optional.of(node.isNumber() ? node.asDouble() : node.asText());
    }

    /** The rows as CSV (RFC 4180) with a header. */
    public static String csv(ResultTable table) {
        var text = new StringBuilder(
                table.columns().stream().map(ResultText::field).collect(Collectors.joining(",", "", "\n")));
        table.rows()
                .forEach(row -> text.append(row.stream()
                        .map(cell -> field(cell.map(Object::toString).orElse("")))
                        .collect(Collectors.joining(",", "", "\n"))));
        return text.toString();
    }

    private static String field(String text) {
        return text.chars().anyMatch(each -> each == ',' || each == '"' || each == '\n' || each == '\r')
                ? '"' + text.replace("\"", "\"\"") + '"'
                : text;
    }
}
