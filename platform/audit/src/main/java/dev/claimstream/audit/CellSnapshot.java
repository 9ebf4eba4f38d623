package dev.claimstream.audit;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Collections;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import org.apache.avro.AvroRuntimeException;
import org.apache.avro.file.DataFileStream;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericRecord;

/**
 * The archived state of a cell after an input: its rows as bytes, and a manifest.
 *
 * @param input offset of the input
 * @param at time of the input
 * @param ledgerHash hash of the snapshot event in the ledger, in hexadecimal digits
 * @param stateHash hash of the rows in that event
 * @param ledgerOffset offset of that event
 * @param engine fingerprint of the engine that wrote the event
 * @param release version of the program that wrote the file
 * @param rows number of rows
 * @param sha256 SHA-256 of the file
 * @param format number of the format of the rows; empty for states of releases that did not record it
 * @param schemas Avro schemas of the rows by their ids, as JSON
 * @param file the file of the rows
 */
public record CellSnapshot(
        int cell,
        long input,
        Instant at,
        String ledgerHash,
        String stateHash,
        long ledgerOffset,
        String engine,
        String release,
        long rows,
        String sha256,
        OptionalInt format,
        SortedMap<Integer, String> schemas,
        StoredFile file) {
    /** The format that this program writes, and the newest one that it reads. */
    static final int FORMAT = 1;

    private static final ObjectMapper JSON = new ObjectMapper();

    public CellSnapshot {
        schemas = Collections.unmodifiableSortedMap(new TreeMap<>(schemas));
    }

    /** Returns a builder of a snapshot whose rows are not written yet. */
    static CellSnapshotBuilder builder(int cell, long input, Instant at, StoredFile file) {
        return new CellSnapshotBuilder(cell, input, at, file);
    }

    /** Returns a builder with the components of this record. */
    CellSnapshotBuilder toBuilder() {
        return builder(cell, input, at, file)
                .ledgerHash(ledgerHash)
                .stateHash(stateHash)
                .ledgerOffset(ledgerOffset)
                .engine(engine)
                .release(release)
                .rows(rows)
                .sha256(sha256)
                .format(format)
                .schemas(schemas);
    }

    /** This snapshot with what is known once its rows are written. */
    CellSnapshot withRows(
            StoredFile written, long number, String hash, int rowFormat, SortedMap<Integer, String> byId) {
        return toBuilder()
                .rows(number)
                .sha256(hash)
                .format(OptionalInt.of(rowFormat))
                .schemas(byId)
                .file(written)
                .build();
    }

    StoredFile manifestFile() {
        return file.sibling(SegmentFiles.name(input) + SegmentFiles.MANIFEST);
    }

    String text() {
        ObjectNode json = JSON.createObjectNode()
                .put("format", FORMAT)
                .put("cell", cell)
                .put("input", input)
                .put("at", at.toString())
                .put("ledgerHash", ledgerHash)
                .put("stateHash", stateHash)
                .put("ledgerOffset", ledgerOffset)
                .put("engine", engine)
                .put("release", release)
                .put("rows", rows)
                .put("file", file.fileName())
                .put("sha256", sha256);
        format.ifPresent(number -> json.put("rowFormat", number));
        ObjectNode byId = json.putObject("schemas");
        schemas.forEach((id, schema) -> byId.put(Integer.toString(id), schema));
        return json.toPrettyString() + "\n";
    }

    /** @throws AuditException if the text is not a manifest, or has a newer format */
    static CellSnapshot of(String text, StoredFile manifest, StoredFile file) {
        try {
            JsonNode json = JSON.readTree(text);
            ManifestJson.checkFormat(json, FORMAT, manifest);
            SortedMap<Integer, String> schemas = ManifestJson.schemas(json);
            return CellSnapshot.builder(
                            json.required("cell").asInt(),
                            json.required("input").asLong(),
                            Instant.parse(json.required("at").asText()),
                            json.has("file")
                                    ? manifest.sibling(json.required("file").asText())
                                    : file)
                    .ledgerHash(json.required("ledgerHash").asText())
                    .stateHash(json.required("stateHash").asText())
                    .ledgerOffset(json.required("ledgerOffset").asLong())
                    .engine(json.required("engine").asText())
                    .release(json.required("release").asText())
                    .rows(json.required("rows").asLong())
                    .sha256(json.required("sha256").asText())
                    .format(
                            json.has("rowFormat")
                                    ? OptionalInt.of(json.required("rowFormat").asInt())
                                    : OptionalInt.empty())
                    .schemas(schemas)
                    .build();
        } catch (JsonProcessingException | IllegalArgumentException | DateTimeException e) {
            throw new AuditException(
                    "%s is not the manifest of a state snapshot: %s. Restore it from a copy, or delete it with its file."
                            .formatted(manifest, e.getMessage()),
                    e);
        }
    }

    /** What is wrong with the file; empty if it has the hash of its manifest. */
    public Optional<String> damage() {
        try {
            return file.sha256().equals(sha256)
                    ? Optional.empty()
                    : Optional.of(
                            "damaged: %s: its SHA-256 is not that of its manifest. Restore the file from a copy, or delete it with its manifest."
                                    .formatted(file));
        } catch (IOException e) {
            return Optional.of(String.valueOf(file.unreadable(e).getMessage()));
        }
    }

    /**
     * Passes key and value of each row, in the order of the keys. A value begins with a zero byte and its schema id.
     *
     * @throws AuditException if the file is damaged or cannot be read
     */
    public void forEachRow(BiConsumer<String, byte[]> action) {
        damage().ifPresent(problem -> {
            throw new AuditException(problem);
        });
        try (var records =
                new DataFileStream<GenericRecord>(file.open(), new GenericDatumReader<>(null, SnapshotFiles.SCHEMA))) {
            for (GenericRecord record : records) {
                action.accept(record.get("key").toString(), LedgerEntryReader.bytes((ByteBuffer) record.get("value")));
            }
        } catch (IOException | AvroRuntimeException e) {
            throw new AuditException(
                    "%s cannot be decoded: %s. Use the release that wrote it (%s), or a later one."
                            .formatted(file, e.getMessage(), release),
                    e);
        }
    }
}
