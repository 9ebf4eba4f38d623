package dev.claimstream.kubernetes.api;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.io.IOException;
import java.io.InputStream;
import java.util.function.Consumer;

/**
 * Metadata of one page of a list.
 *
 * @param version {@code resourceVersion} of the whole list
 * @param continueToken token of the next page; empty on the last page
 */
record ListPage(long version, String continueToken) {
    /**
     * Reads a page item by item, so that only one parsed item is in memory.
     *
     * @throws IOException if the page is truncated or is no list
     */
    static ListPage read(InputStream in, Consumer<JsonNode> items) throws IOException {
        JsonNode metadata = MissingNode.getInstance();
        try (JsonParser parser = ApiHttpClient.JSON.createParser(in)) {
            expect(parser, JsonToken.START_OBJECT, parser.nextToken());
            while (parser.nextToken() == JsonToken.FIELD_NAME) {
                String field = parser.currentName();
                JsonToken value = parser.nextToken();
                if (field.equals("items") && value == JsonToken.START_ARRAY) {
                    readItems(parser, items);
                } else if (field.equals("metadata")) {
                    metadata = parser.readValueAsTree();
                } else {
                    parser.skipChildren();
                }
            }
            expect(parser, JsonToken.END_OBJECT, parser.currentToken());
        }
        return new ListPage(
                metadata.path("resourceVersion").asLong(0),
                metadata.path("continue").asText(""));
    }

    private static void readItems(JsonParser parser, Consumer<JsonNode> items) throws IOException {
        JsonToken token = parser.nextToken();
        while (token == JsonToken.START_OBJECT) {
            JsonNode item = parser.readValueAsTree();
            items.accept(item);
            token = parser.nextToken();
        }
        expect(parser, JsonToken.END_ARRAY, token);
    }

    private static void expect(
            JsonParser parser, JsonToken expected, @org.jspecify.annotations.Nullable JsonToken token)
            throws IOException {
        if (token != expected) {
            throw new IOException("expected %s in the list, found %s at %s"
                    .formatted(expected, token, parser.currentLocation().offsetDescription()));
        }
    }
}
