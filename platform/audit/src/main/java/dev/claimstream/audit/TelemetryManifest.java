package dev.claimstream.audit;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Collections;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The description of an hour of telemetry, stored as JSON beside its file.
 *
 * @param hour begin of the hour
 * @param offsets per partition of {@code telemetry.v1} the samples that were aggregated; empty if they were archived without a manifest
 * @param bytes size of the file
 * @param sha256 SHA-256 of the file, in hexadecimal digits
 * @param release version of the program that wrote the manifest
 * @param previous SHA-256 of the manifest before this one; empty for the first one
 * @param schemas Avro schemas of the samples by their ids, as JSON
 * @param file the file of the hour
 */
public record TelemetryManifest(
        Instant hour,
        SortedMap<Integer, OffsetRange> offsets,
        long bytes,
        String sha256,
        String release,
        String previous,
        SortedMap<Integer, String> schemas,
        StoredFile file) {
    /** The format that this program writes, and the newest one that it reads. */
    private static final int FORMAT = 1;

    private static final ObjectMapper JSON = new ObjectMapper();

    public TelemetryManifest {
        offsets = Collections.unmodifiableSortedMap(new TreeMap<>(offsets));
        schemas = Collections.unmodifiableSortedMap(new TreeMap<>(schemas));
    }

    /** Offsets from the first one up to the one after the last. */
    public record OffsetRange(long from, long to) {}

    /** The end of the hour. */
    Instant end() {
        return hour.plus(1, ChronoUnit.HOURS);
    }

    String text() {
        ObjectNode json = JSON.createObjectNode()
                .put("format", FORMAT)
                .put("hour", hour.toString())
                .put("file", file.fileName())
                .put("bytes", bytes)
                .put("sha256", sha256)
                .put("release", release)
                .put("previous", previous);
        ObjectNode ranges = json.putObject("offsets");
        offsets.forEach((partition, range) -> ranges.putObject(Integer.toString(partition))
                .put("from", range.from())
                .put("to", range.to()));
        ObjectNode byId = json.putObject("schemas");
        schemas.forEach((id, schema) -> byId.put(Integer.toString(id), schema));
        return json.toPrettyString() + "\n";
    }

    /** @throws AuditException if the text is not a manifest, or has a newer format */
    static TelemetryManifest of(String text, StoredFile manifest) {
        try {
            JsonNode json = JSON.readTree(text);
            ManifestJson.checkFormat(json, FORMAT, manifest);
            var offsets = new TreeMap<Integer, OffsetRange>();
            json.required("offsets")
                    .properties()
                    .forEach(each -> offsets.put(
                            Integer.valueOf(each.getKey()),
                            new OffsetRange(
                                    each.getValue().required("from").asLong(),
                                    each.getValue().required("to").asLong())));
            SortedMap<Integer, String> schemas = ManifestJson.schemas(json);
            return new TelemetryManifest(
                    Instant.parse(json.required("hour").asText()),
                    offsets,
                    json.required("bytes").asLong(),
                    json.required("sha256").asText(),
                    json.required("release").asText(),
                    json.required("previous").asText(),
                    schemas,
                    manifest.sibling(fileName(json.required("file").asText())));
        } catch (JsonProcessingException | IllegalArgumentException | DateTimeException e) {
            throw new AuditException(
                    "%s is not the manifest of an hour of telemetry: %s. Restore it from a copy, or delete it with its file."
                            .formatted(manifest, e.getMessage()),
                    e);
        }
    }

    private static String fileName(String name) {
        if (name.contains("/") || name.contains("\\") || !name.endsWith(SegmentFiles.DATA)) {
            throw new IllegalArgumentException("its field file is not the name of a file of this folder: " + name);
        }
        return name;
    }

    /** Returns the damage of the file; empty if it has the hash of its manifest. */
    public Optional<String> damage() {
        try {
            return file.sha256().equals(sha256)
                    ? Optional.empty()
                    : Optional.of(
                            "damaged: %s (telemetry of %s): its SHA-256 is not that of its manifest. Restore the file from a copy."
                                    .formatted(file, hour));
        } catch (NoSuchFileException _) {
            return Optional.of("missing: %s (telemetry of %s): the file does not exist. Restore the file from a copy."
                    .formatted(file, hour));
        } catch (IOException e) {
            return Optional.of(String.valueOf(file.unreadable(e).getMessage()));
        }
    }
}
