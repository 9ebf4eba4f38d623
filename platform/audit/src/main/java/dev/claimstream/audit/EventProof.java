package dev.claimstream.audit;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.claimstream.audit.Checkpoint.LedgerState;
import java.nio.charset.StandardCharsets;
import java.security.PublicKey;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import org.apache.avro.Schema;

/**
 * The proof that a signed checkpoint covers an event. It can be checked without the log.
 *
 * @param index index of the event among the events that the checkpoint covers, from 0
 * @param event bytes of the event as recorded
 * @param path siblings on the way to the Merkle root of the ledger
 */
public record EventProof(Checkpoint checkpoint, int cell, long index, byte[] event, List<byte[]> path) {
    private static final int FORMAT = 1;
    private static final ObjectMapper JSON = new ObjectMapper();

    public EventProof {
        path = List.copyOf(path);
    }

    /** The event that a valid proof is about. */
    public record ProvenEvent(LedgerEntry entry, Instant checkpointTime) {}

    /** The proof as JSON. */
    public String text() {
        ObjectNode json = JSON.createObjectNode()
                .put("format", FORMAT)
                .put("cell", cell)
                .put("index", index)
                .put("event", Base64.getEncoder().encodeToString(event));
        ArrayNode siblings = json.putArray("path");
        path.forEach(each -> siblings.add(Sha256.hex(each)));
        json.set("checkpoint", checkpoint.json());
        return json.toPrettyString() + "\n";
    }

    /**
     * Parses the JSON of {@link #text}.
     *
     * @throws IllegalArgumentException if the text is not a proof, or has a newer format
     */
    public static EventProof of(String text) {
        try {
            JsonNode json = JSON.readTree(text);
            int format = json.path("format").asInt();
            if (format != FORMAT || !json.has("checkpoint")) {
                throw new IllegalArgumentException("it is not a proof of format %d".formatted(FORMAT));
            }
            List<byte[]> path = new ArrayList<>();
            json.path("path").forEach(each -> path.add(HexFormat.of().parseHex(each.asText())));
            return new EventProof(
                    Checkpoint.of(json.path("checkpoint")),
                    json.path("cell").asInt(),
                    json.path("index").asLong(),
                    Base64.getDecoder().decode(json.path("event").asText()),
                    path);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("it is not JSON: " + e.getOriginalMessage(), e);
        }
    }

    /**
     * Checks the proof.
     *
     * @param schema the schema of ledger events; it is not taken from the proof, which could misrepresent the bytes
     * @throws IllegalArgumentException if the proof is not valid; the message says why
     */
    public ProvenEvent check(PublicKey key, Schema schema) {
        if (!checkpoint.isSignedBy(key)) {
            throw new IllegalArgumentException("the checkpoint is not signed by this key");
        }
        LedgerState state = checkpoint
                .ledger(cell)
                .orElseThrow(
                        () -> new IllegalArgumentException("the checkpoint does not cover cell %d".formatted(cell)));
        var record = new LogRecord(
                LogVerifier.LEDGER,
                cell,
                0,
                checkpoint.time(),
                Optional.of(Integer.toString(cell).getBytes(StandardCharsets.UTF_8)),
                Optional.of(event));
        LedgerEntry entry = switch (new LedgerEntryReader(_ -> Optional.of(schema)).read(record)) {
            case LedgerEntryReader.EntryReadResult.DecodedEntry(LedgerEntry read) -> read;
            case LedgerEntryReader.EntryReadResult.Unreadable(String reason) ->
                throw new IllegalArgumentException("the event cannot be read by this release: " + reason);
        };
        byte[] hash = HexFormat.of().parseHex(entry.computedHash());
        if (!entry.isIntact()
                || !MerkleTree.isIncluded(
                        hash, index, state.events(), path, HexFormat.of().parseHex(state.root()))) {
            throw new IllegalArgumentException("the event is not among the events that the checkpoint covers");
        }
        return new ProvenEvent(entry, checkpoint.time());
    }
}
