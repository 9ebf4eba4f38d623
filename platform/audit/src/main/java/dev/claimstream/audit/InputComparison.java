package dev.claimstream.audit;

import dev.claimstream.audit.Finding.FindingKind;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.avro.Schema;
import org.apache.avro.SchemaBuilder;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.io.DecoderFactory;

/**
 * Compares the events of a ledger with the inputs that they name: each input exists, and has the time of the event.
 *
 * <p>Inputs are read once, in batches. Events whose inputs are deleted by retention are not compared. Not safe for several threads.
 */
final class InputComparison {
    private static final int BATCH = 5000;
    private static final int HEADER_BYTES = 5;
    private static final String AT = "at";

    private final AuditLog log;
    private final String topic;
    private final int partition;
    private final long begin;
    private final Map<Integer, GenericDatumReader<GenericRecord>> readers = new HashMap<>();
    private final List<InputReference> batch = new ArrayList<>();
    private final List<Finding> findings = new ArrayList<>();
    private long last = -1;
    private long compared;

    /** A ledger entry that names an input, with its record. */
    private record InputReference(LogRecord record, LedgerEntry entry) {}

    InputComparison(AuditLog log, String topic, int partition) {
        this.log = log;
        this.topic = topic;
        this.partition = partition;
        begin = log.begin(topic, partition);
    }

    void accept(LogRecord record, LedgerEntry entry) {
        if (entry.event().equals("rebuild") && entry.input() <= last) {
            // the inputs of earlier events are those of a lost topic
            batch.clear();
            findings.clear();
            compared = 0;
            last = -1;
        }
        last = Math.max(last, entry.input());
        if (entry.input() >= begin) {
            batch.add(new InputReference(record, entry));
        }
        if (batch.size() >= BATCH) {
            compareBatch();
        }
    }

    private void compareBatch() {
        if (batch.isEmpty()) {
            return;
        }
        Map<Long, Optional<Instant>> times = new HashMap<>();
        batch.forEach(each -> times.put(each.entry().input(), Optional.empty()));
        long from = batch.stream().mapToLong(each -> each.entry().input()).min().orElse(0);
        long to = batch.stream().mapToLong(each -> each.entry().input()).max().orElse(0);
        log.forEach(topic, partition, from, Math.min(to + 1, log.end(topic, partition)), input -> {
            if (times.containsKey(input.offset())) {
                times.put(input.offset(), time(input));
            }
            return true;
        });
        batch.forEach(each -> compare(each, times.getOrDefault(each.entry().input(), Optional.empty())));
        batch.clear();
    }

    private void compare(InputReference reference, Optional<Instant> time) {
        LedgerEntry entry = reference.entry();
        compared++;
        if (time.isEmpty()) {
            add(
                    reference.record(),
                    "input %d of %s, partition %d, is missing or unreadable"
                            .formatted(entry.input(), topic, partition));
        } else if (!time.get().equals(entry.at())) {
            add(
                    reference.record(),
                    "input %d of %s, partition %d, has the time %s, and the event %s"
                            .formatted(entry.input(), topic, partition, time.get(), entry.at()));
        }
    }

    private void add(LogRecord record, String message) {
        if (findings.size() < ChainVerifier.FINDINGS_MAX) {
            findings.add(Finding.at(record, FindingKind.INPUT, message));
        }
    }

    private Optional<Instant> time(LogRecord input) {
        if (input.value().isEmpty() || input.value().get().length <= HEADER_BYTES) {
            return Optional.empty();
        }
        byte[] bytes = input.value().get();
        try {
            int id = ByteBuffer.wrap(bytes).getInt(1);
            if (!readers.containsKey(id)) {
                log.schema(id).ifPresent(schema -> readers.put(id, reader(schema)));
            }
            GenericDatumReader<GenericRecord> reader = readers.get(id);
            if (bytes[0] != 0 || reader == null) {
                return Optional.empty();
            }
            GenericRecord record = reader.read(
                    null, DecoderFactory.get().binaryDecoder(bytes, HEADER_BYTES, bytes.length - HEADER_BYTES, null));
            return Optional.of(Instant.EPOCH.plus((long) record.get(AT), ChronoUnit.MICROS));
        } catch (IOException | RuntimeException e) { // Avro reports invalid bytes by many exceptions
            return Optional.empty();
        }
    }

    /** A reader of the time alone; it skips all other fields. */
    private static GenericDatumReader<GenericRecord> reader(Schema writer) {
        Schema time = SchemaBuilder.record(writer.getName())
                .namespace(writer.getNamespace())
                .fields()
                .requiredLong(AT)
                .endRecord();
        return new GenericDatumReader<>(writer, time, new GenericData());
    }

    /** Compares the rest and returns the findings. */
    List<Finding> finish() {
        compareBatch();
        return List.copyOf(findings);
    }

    /** Number of events whose input was compared. */
    long compared() {
        return compared;
    }
}
