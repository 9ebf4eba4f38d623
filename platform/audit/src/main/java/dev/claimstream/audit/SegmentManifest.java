package dev.claimstream.audit;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The description of a sealed segment, stored as JSON beside it.
 *
 * @param from offset at which the segment begins: the end of the segment before it
 * @param to offset after the segment; offsets without a record are transaction markers
 * @param sha256 SHA-256 of the file, in hexadecimal digits
 * @param headBefore of a ledger: hash of the event before the first one, in hexadecimal digits; empty for none
 * @param headAfter of a ledger: hash of the last event
 * @param engine of a ledger: fingerprint of the engine of the last event
 * @param release version of the program that wrote the segment
 * @param previous SHA-256 of the manifest before this one; empty for the first segment
 * @param schemas Avro schemas of the values by their ids, as JSON
 */
record SegmentManifest(
        String topic,
        int partition,
        long from,
        long to,
        long firstOffset,
        long lastOffset,
        Instant firstTime,
        Instant lastTime,
        long count,
        String file,
        long bytes,
        String sha256,
        String headBefore,
        String headAfter,
        String engine,
        String release,
        String previous,
        SortedMap<Integer, String> schemas) {
    /** The format that this program writes, and the newest one that it reads. */
    static final int FORMAT = 1;

    private static final ObjectMapper JSON = new ObjectMapper();

    SegmentManifest {
        schemas = Collections.unmodifiableSortedMap(new TreeMap<>(schemas));
    }

    String text() {
        ObjectNode json = JSON.createObjectNode()
                .put("format", FORMAT)
                .put("topic", topic)
                .put("partition", partition)
                .put("from", from)
                .put("to", to)
                .put("firstOffset", firstOffset)
                .put("lastOffset", lastOffset)
                .put("firstTime", firstTime.toString())
                .put("lastTime", lastTime.toString())
                .put("count", count)
                .put("file", file)
                .put("bytes", bytes)
                .put("sha256", sha256)
                .put("headBefore", headBefore)
                .put("headAfter", headAfter)
                .put("engine", engine)
                .put("release", release)
                .put("previous", previous);
        ObjectNode byId = json.putObject("schemas");
        schemas.forEach((id, schema) -> byId.put(Integer.toString(id), schema));
        return json.toPrettyString() + "\n";
    }

    /**
     * Parses the JSON of {@link #text}.
     *
     * @throws IllegalArgumentException if the text is not a manifest, or has a newer format
     */
    static SegmentManifest of(String text) {
        try {
            JsonNode json = JSON.readTree(text);
            int format = field(json, "format").intValue();
            if (format > FORMAT) {
                throw new IllegalArgumentException(
                        "it has format %d, and this release reads up to format %d: use the release that wrote it, or a later one"
                                .formatted(format, FORMAT));
            }
            var schemas = new TreeMap<Integer, String>();
            field(json, "schemas")
                    .properties()
                    .forEach(each -> schemas.put(
                            Integer.valueOf(each.getKey()), each.getValue().textValue()));
            return new SegmentManifest(
                    text(json, "topic"),
                    field(json, "partition").intValue(),
                    field(json, "from").longValue(),
                    field(json, "to").longValue(),
                    field(json, "firstOffset").longValue(),
                    field(json, "lastOffset").longValue(),
                    Instant.parse(text(json, "firstTime")),
                    Instant.parse(text(json, "lastTime")),
                    field(json, "count").longValue(),
                    text(json, "file"),
                    field(json, "bytes").longValue(),
                    text(json, "sha256"),
                    text(json, "headBefore"),
                    text(json, "headAfter"),
                    text(json, "engine"),
                    text(json, "release"),
                    text(json, "previous"),
                    schemas);
        } catch (JsonProcessingException | DateTimeException | NumberFormatException e) {
            throw new IllegalArgumentException("it is not a manifest: " + e.getMessage(), e);
        }
    }

    private static String text(JsonNode json, String name) {
        return field(json, name).asText();
    }

    private static JsonNode field(JsonNode json, String name) {
        JsonNode field = json.get(name);
        if (field == null || field.isNull()) {
            throw new IllegalArgumentException("it has no field " + name);
        }
        return field;
    }
}
