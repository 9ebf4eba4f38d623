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
import java.util.regex.Pattern;

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
 * @param original SHA-256 of the manifest before names were erased in the segment; empty if they were not
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
        String original,
        SortedMap<Integer, String> schemas) {
    /** The newest format that this program reads: that of an erased segment. */
    static final int FORMAT = 2;

    private static final int FORMAT_WITH_NAMES = 1;

    private static final String ORIGINAL = "original";

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Pattern HASH = Pattern.compile("[0-9a-f]{64}");
    private static final Pattern HASH_OR_EMPTY = Pattern.compile("([0-9a-f]{64})?");

    /** Number of characters of an invalid value that a message shows. */
    private static final int VALUE_CHARACTERS_MAX = 100;

    SegmentManifest {
        schemas = Collections.unmodifiableSortedMap(new TreeMap<>(schemas));
    }

    /** Returns a builder of a manifest without records. */
    static SegmentManifestBuilder builder(String topic, int partition) {
        return new SegmentManifestBuilder(topic, partition);
    }

    /** Returns a builder with the components of this record. */
    SegmentManifestBuilder toBuilder() {
        return builder(topic, partition)
                .from(from)
                .to(to)
                .firstOffset(firstOffset)
                .lastOffset(lastOffset)
                .firstTime(firstTime)
                .lastTime(lastTime)
                .count(count)
                .file(file)
                .bytes(bytes)
                .sha256(sha256)
                .headBefore(headBefore)
                .headAfter(headAfter)
                .engine(engine)
                .release(release)
                .previous(previous)
                .original(original)
                .schemas(schemas);
    }

    /** Whether names were erased in the segment. */
    boolean isErased() {
        return !original.isEmpty();
    }

    /**
     * The manifest of the same segment after names were erased.
     *
     * @param manifest SHA-256 of the present manifest
     */
    SegmentManifest erased(long newBytes, String newSha256, String manifest) {
        return toBuilder().bytes(newBytes).sha256(newSha256).original(manifest).build();
    }

    String text() {
        ObjectNode json = JSON.createObjectNode()
                .put("format", isErased() ? FORMAT : FORMAT_WITH_NAMES)
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
        if (isErased()) {
            json.put(ORIGINAL, original);
        }
        ObjectNode byId = json.putObject("schemas");
        schemas.forEach((id, schema) -> byId.put(Integer.toString(id), schema));
        return json.toPrettyString() + "\n";
    }

    /**
     * Parses the JSON of {@link #text}.
     *
     * @throws IllegalArgumentException if the text is not a manifest, or has a newer format; the message names the field
     */
    static SegmentManifest of(String text) {
        try {
            JsonNode json = JSON.readTree(text);
            long format = number(json, "format", 1);
            if (format > FORMAT) {
                throw new IllegalArgumentException(
                        "it has format %d, and this release reads up to format %d: use the release that wrote it, or a later one"
                                .formatted(format, FORMAT));
            }
            var manifest = SegmentManifest.builder(text(json, "topic"), index(json, "partition"))
                    .from(number(json, "from", 0))
                    .to(number(json, "to", 1))
                    .firstOffset(number(json, "firstOffset", 0))
                    .lastOffset(number(json, "lastOffset", 0))
                    .firstTime(time(json, "firstTime"))
                    .lastTime(time(json, "lastTime"))
                    .count(number(json, "count", 1))
                    .file(text(json, "file"))
                    .bytes(number(json, "bytes", 0))
                    .sha256(hash(json, "sha256", HASH))
                    .headBefore(hash(json, "headBefore", HASH_OR_EMPTY))
                    .headAfter(hash(json, "headAfter", HASH_OR_EMPTY))
                    .engine(text(json, "engine"))
                    .release(text(json, "release"))
                    .previous(hash(json, "previous", HASH_OR_EMPTY))
                    .original(json.has(ORIGINAL) ? hash(json, ORIGINAL, HASH) : "")
                    .schemas(schemas(json))
                    .build();
            manifest.checkOffsets();
            return manifest;
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("it is not a manifest: " + e.getMessage(), e);
        }
    }

    private void checkOffsets() {
        if (from > firstOffset || firstOffset > lastOffset || lastOffset >= to) {
            throw new IllegalArgumentException(
                    "its offsets are not in order: from %d, firstOffset %d, lastOffset %d, to %d"
                            .formatted(from, firstOffset, lastOffset, to));
        }
    }

    private static SortedMap<Integer, String> schemas(JsonNode json) {
        JsonNode byId = field(json, "schemas");
        if (!byId.isObject()) {
            throw invalid("schemas", "an object", byId);
        }
        var schemas = new TreeMap<Integer, String>();
        byId.properties().forEach(each -> {
            String field = "schemas." + each.getKey();
            if (!each.getValue().isTextual()) {
                throw invalid(field, "a text with a schema", each.getValue());
            }
            schemas.put(id(each.getKey()), each.getValue().textValue());
        });
        return schemas;
    }

    private static int id(String text) {
        try {
            return Integer.parseInt(text);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("its field schemas.%s is not named by a schema id".formatted(text), e);
        }
    }

    private static String text(JsonNode json, String name) {
        JsonNode field = field(json, name);
        if (!field.isTextual()) {
            throw invalid(name, "a text", field);
        }
        return field.textValue();
    }

    private static String hash(JsonNode json, String name, Pattern pattern) {
        String hash = text(json, name);
        if (!pattern.matcher(hash).matches()) {
            throw invalid(name, "a SHA-256 of 64 hexadecimal digits", field(json, name));
        }
        return hash;
    }

    private static Instant time(JsonNode json, String name) {
        try {
            return Instant.parse(text(json, name));
        } catch (DateTimeException e) {
            throw new IllegalArgumentException(
                    "its field %s is not a time like 2026-03-01T12:00:00Z: %s".formatted(name, field(json, name)), e);
        }
    }

    private static int index(JsonNode json, String name) {
        long number = number(json, name, 0);
        if (number > Integer.MAX_VALUE) {
            throw invalid(name, "a number up to %d".formatted(Integer.MAX_VALUE), field(json, name));
        }
        return (int) number;
    }

    private static long number(JsonNode json, String name, long min) {
        JsonNode field = field(json, name);
        if (!field.isIntegralNumber() || !field.canConvertToLong() || field.longValue() < min) {
            throw invalid(name, "an integer from %d".formatted(min), field);
        }
        return field.longValue();
    }

    private static IllegalArgumentException invalid(String name, String expected, JsonNode field) {
        String value = field.toString();
        return new IllegalArgumentException("its field %s is not %s: %s"
                .formatted(
                        name,
                        expected,
                        value.length() > VALUE_CHARACTERS_MAX
                                ? value.substring(0, VALUE_CHARACTERS_MAX) + " …"
                                : value));
    }

    private static JsonNode field(JsonNode json, String name) {
        JsonNode field = json.get(name);
        if (field == null || field.isNull()) {
            throw new IllegalArgumentException("it has no field " + name);
        }
        return field;
    }
}
