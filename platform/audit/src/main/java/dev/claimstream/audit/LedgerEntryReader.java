package dev.claimstream.audit;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntFunction;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.io.BinaryDecoder;
import org.apache.avro.io.DecoderFactory;

/**
 * Reads ledger events from their bytes, and computes their hashes.
 *
 * <p>The hash of an event is SHA-256 over the previous hash and the event with an empty hash. The hash is the last field. It is computed
 * from the recorded bytes: a decoded and encoded event may have its maps in another order. Not safe for several threads.
 */
public final class LedgerEntryReader {
    private static final int HEADER_BYTES = 5;
    private static final int HASH_BYTES = 32;

    /** The length of a hash as Avro writes it. */
    private static final byte HASH_LENGTH = 2 * HASH_BYTES;

    private static final String RECORD = "LedgerEvent";

    private final IntFunction<Optional<Schema>> schemas;
    private final Map<Integer, GenericDatumReader<GenericRecord>> readers = new HashMap<>();
    private final MessageDigest digest = Sha256.digest();

    /** @param schemas the schema of an id; empty if there is none */
    public LedgerEntryReader(IntFunction<Optional<Schema>> schemas) {
        this.schemas = schemas;
    }

    /** The result of reading a record. */
    public sealed interface EntryReadResult {
        /** An event whose bytes can be decoded, with or without a valid hash. */
        record DecodedEntry(LedgerEntry entry) implements EntryReadResult {}

        /** A record that is not a ledger event of its partition. */
        record Unreadable(String message) implements EntryReadResult {}
    }

    /** Decodes a record and computes its hash. An erased event has the hash that it had before. */
    public EntryReadResult read(LogRecord record) {
        if (record.value().isEmpty()) {
            return new EntryReadResult.Unreadable("the record has no value");
        }
        byte[] bytes = record.value().get();
        if (bytes.length <= HEADER_BYTES + HASH_BYTES || bytes[0] != 0) {
            return new EntryReadResult.Unreadable("%d bytes that are not a ledger event".formatted(bytes.length));
        }
        int id = ByteBuffer.wrap(bytes).getInt(1);
        Optional<GenericDatumReader<GenericRecord>> reader = reader(id);
        if (reader.isEmpty()) {
            return new EntryReadResult.Unreadable("schema id %d is not that of a ledger event".formatted(id));
        }
        return read(record, bytes, reader.get());
    }

    private EntryReadResult read(LogRecord record, byte[] bytes, GenericDatumReader<GenericRecord> reader) {
        try {
            BinaryDecoder decoder =
                    DecoderFactory.get().binaryDecoder(bytes, HEADER_BYTES, bytes.length - HEADER_BYTES, null);
            GenericRecord event = reader.read(null, decoder);
            int hashAt = bytes.length - HASH_BYTES;
            if (!decoder.isEnd() || bytes[hashAt - 1] != HASH_LENGTH) {
                return new EntryReadResult.Unreadable("the event does not end with its hash");
            }
            String hash = record.isErased()
                    ? Sha256.hex(array(event, "hash"))
                    : computedHash(bytes, hashAt, array(event, "previousHash"));
            LedgerEntry entry = entry(event, hash);
            return keyProblem(record, entry)
                    .<EntryReadResult>map(EntryReadResult.Unreadable::new)
                    .orElseGet(() -> new EntryReadResult.DecodedEntry(entry));
        } catch (IOException
                | RuntimeException
                | StackOverflowError e) { // Avro reports invalid bytes by many exceptions
            return new EntryReadResult.Unreadable("the event cannot be decoded: " + e);
        }
    }

    private static Optional<String> keyProblem(LogRecord record, LedgerEntry entry) {
        String key = record.key()
                .map(bytes -> new String(bytes, StandardCharsets.UTF_8))
                .orElse("");
        if (!key.equals(Integer.toString(entry.cell()))) {
            return Optional.of("the key is '%s', the event is of cell %d".formatted(key, entry.cell()));
        }
        return entry.cell() == record.partition()
                ? Optional.empty()
                : Optional.of("the event is of cell %d".formatted(entry.cell()));
    }

    private Optional<GenericDatumReader<GenericRecord>> reader(int id) {
        GenericDatumReader<GenericRecord> known = readers.get(id);
        if (known != null) {
            return Optional.of(known);
        }
        Optional<Schema> schema =
                schemas.apply(id).filter(each -> each.getName().equals(RECORD));
        schema.ifPresent(each -> readers.put(id, new GenericDatumReader<>(each, each, new GenericData())));
        return Optional.ofNullable(readers.get(id));
    }

    private static LedgerEntry entry(GenericRecord event, String computedHash) {
        return new LedgerEntry(
                (int) event.get("cell"),
                (long) event.get("offset"),
                (int) event.get("index"),
                Instant.EPOCH.plus((long) event.get("at"), ChronoUnit.MICROS),
                event.get("event").toString(),
                subject(event),
                event.get("engine").toString(),
                Sha256.hex(array(event, "previousHash")),
                Sha256.hex(array(event, "hash")),
                computedHash);
    }

    private static String subject(GenericRecord event) {
        return event.get("decision") instanceof GenericRecord decision
                ? "%s/%s".formatted(decision.get("namespace"), decision.get("name"))
                : "";
    }

    private String computedHash(byte[] bytes, int hashAt, byte[] previousHash) {
        digest.update(previousHash);
        digest.update(bytes, HEADER_BYTES, hashAt - 1 - HEADER_BYTES);
        digest.update((byte) 0);
        return Sha256.hex(digest.digest());
    }

    private static byte[] array(GenericRecord event, String field) {
        return bytes((ByteBuffer) event.get(field));
    }

    static byte[] bytes(ByteBuffer buffer) {
        byte[] copy = new byte[buffer.remaining()];
        buffer.duplicate().get(copy);
        return copy;
    }
}
