package dev.claimstream.audit;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;

/**
 * A signed statement about all ledgers at one time: their heads, and Merkle roots over the hashes of their events.
 *
 * @param signature Ed25519 over time and root, in Base64
 */
public record Checkpoint(Instant time, List<LedgerState> ledgers, String signature) {
    private static final int FORMAT = 1;
    private static final String ALGORITHM = "Ed25519";
    private static final ObjectMapper JSON = new ObjectMapper();

    public Checkpoint {
        ledgers = List.copyOf(ledgers);
    }

    /**
     * The state of one ledger.
     *
     * @param begin offset of the first event that the root covers
     * @param last offset of the last event
     * @param events number of events that the root covers
     * @param head hash of the last event, in hexadecimal digits
     * @param root Merkle root over the hashes of the events, in hexadecimal digits
     */
    public record LedgerState(int cell, long begin, long last, long events, String head, String root) {
        byte[] content() {
            return "%d %d %d %d %s %s"
                    .formatted(cell, begin, last, events, head, root)
                    .getBytes(StandardCharsets.UTF_8);
        }
    }

    /** Makes a checkpoint. */
    static Checkpoint sign(Instant time, List<LedgerState> ledgers, PrivateKey key) {
        try {
            var signature = Signature.getInstance(ALGORITHM);
            signature.initSign(key);
            signature.update(signedBytes(time, ledgers));
            return new Checkpoint(time, ledgers, Base64.getEncoder().encodeToString(signature.sign()));
        } catch (GeneralSecurityException e) {
            throw new AuditException("the checkpoint cannot be signed: " + e.getMessage(), e);
        }
    }

    /** Returns whether this private key has signed this checkpoint. Ed25519 is deterministic, so the private key alone shows it. */
    public boolean isSignedWith(PrivateKey key) {
        return sign(time, ledgers, key).signature().equals(signature);
    }

    /** Whether the holder of the key has signed exactly this. */
    public boolean isSignedBy(PublicKey key) {
        try {
            var check = Signature.getInstance(ALGORITHM);
            check.initVerify(key);
            check.update(signedBytes(time, ledgers));
            return check.verify(Base64.getDecoder().decode(signature));
        } catch (GeneralSecurityException | IllegalArgumentException e) {
            return false;
        }
    }

    private static byte[] signedBytes(Instant time, List<LedgerState> ledgers) {
        return "claimstream checkpoint %d\n%s\n%s\n"
                .formatted(FORMAT, time, Sha256.hex(tree(ledgers).root()))
                .getBytes(StandardCharsets.UTF_8);
    }

    private static MerkleTree tree(List<LedgerState> ledgers) {
        var tree = new MerkleTree();
        ledgers.forEach(each -> tree.add(each.content()));
        return tree;
    }

    /** The Merkle root over all ledgers, in hexadecimal digits. */
    public String root() {
        return Sha256.hex(tree(ledgers).root());
    }

    /** The state of a ledger; empty if the checkpoint does not have it. */
    public Optional<LedgerState> ledger(int cell) {
        return ledgers.stream().filter(each -> each.cell() == cell).findFirst();
    }

    /** The checkpoint as JSON. */
    public String text() {
        return json().toPrettyString() + "\n";
    }

    ObjectNode json() {
        ObjectNode json = JSON.createObjectNode()
                .put("format", FORMAT)
                .put("time", time.toString())
                .put("root", root())
                .put("signature", signature);
        ArrayNode array = json.putArray("ledgers");
        ledgers.forEach(each -> array.addObject()
                .put("cell", each.cell())
                .put("begin", each.begin())
                .put("last", each.last())
                .put("events", each.events())
                .put("head", each.head())
                .put("root", each.root()));
        return json;
    }

    /**
     * Parses the JSON of {@link #text}.
     *
     * @throws IllegalArgumentException if the text is not a checkpoint, or has a newer format
     */
    public static Checkpoint of(String text) {
        try {
            return of(JSON.readTree(text));
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("it is not JSON: " + e.getOriginalMessage(), e);
        }
    }

    static Checkpoint of(JsonNode json) {
        int format = json.path("format").asInt();
        if (format != FORMAT) {
            throw new IllegalArgumentException(
                    "it has format %d, and this release reads format %d".formatted(format, FORMAT));
        }
        List<LedgerState> ledgers = new ArrayList<>();
        json.path("ledgers")
                .forEach(each -> ledgers.add(new LedgerState(
                        each.path("cell").asInt(),
                        each.path("begin").asLong(),
                        each.path("last").asLong(),
                        each.path("events").asLong(),
                        each.path("head").asText(),
                        each.path("root").asText())));
        try {
            return new Checkpoint(
                    Instant.parse(json.path("time").asText()),
                    ledgers,
                    json.path("signature").asText());
        } catch (DateTimeException e) {
            throw new IllegalArgumentException("its time is invalid: " + e.getMessage(), e);
        }
    }
}
