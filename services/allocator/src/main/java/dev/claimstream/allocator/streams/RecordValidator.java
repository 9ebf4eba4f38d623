package dev.claimstream.allocator.streams;

import dev.claimstream.kafka.AvroSerde;
import dev.claimstream.kafka.BadRecordReason;
import dev.claimstream.kafka.DecodeResult;
import dev.claimstream.kafka.PublicTopicProducer;
import dev.claimstream.kafka.RecordSerde;
import dev.claimstream.kafka.Topics;
import dev.claimstream.kafka.registry.SchemaRegistry;
import dev.claimstream.schemas.CellInputRecord;
import dev.claimstream.schemas.ClaimsRecord;
import dev.claimstream.schemas.InventoryRecord;
import dev.claimstream.schemas.Origin;
import dev.claimstream.schemas.OutcomeRecord;
import dev.claimstream.wire.CellInputReader;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.apache.avro.specific.SpecificRecord;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** Decodes and validates records of the public topics and of {@code outcomes.v1}, and makes cell inputs of them. */
final class RecordValidator {
    /** The topics that the intake consumes. */
    static final List<String> TOPICS = List.of(Topics.INVENTORY, Topics.CLAIMS, Topics.OUTCOMES);

    private final RecordSerde<InventoryRecord> inventory;
    private final RecordSerde<ClaimsRecord> claims;
    private final RecordSerde<OutcomeRecord> outcomes;
    private final InstantSource clock;

    RecordValidator(SchemaRegistry registry, InstantSource clock) {
        this.clock = clock;
        inventory = AvroSerde.of(InventoryRecord.class, registry).withBytesMax(PublicTopicProducer.VALUE_BYTES_MAX);
        outcomes = AvroSerde.of(OutcomeRecord.class, registry).withBytesMax(PublicTopicProducer.VALUE_BYTES_MAX);
        claims = AvroSerde.of(ClaimsRecord.class, registry).withBytesMax(PublicTopicProducer.VALUE_BYTES_MAX);
    }

    sealed interface ValidationResult {
        /** The record is an input for a cell. */
        record Accepted(CellInputRecord input) implements ValidationResult {}

        /** The record cannot be decoded, or it breaks a rule. */
        record Rejected(DecodeResult.Failure<?> failure) implements ValidationResult {}

        /** The record is a tombstone. It has no effect: the deletion was in the record before it. */
        record Tombstone() implements ValidationResult {}
    }

    /**
     * Decodes and validates a record.
     *
     * @param partitions number of partitions of its topic
     * @throws dev.claimstream.kafka.registry.RegistryException if the registry does not respond
     */
    ValidationResult validate(ConsumerRecord<byte[], byte[]> record, int partitions) {
        return switch (record.topic()) {
            case Topics.INVENTORY ->
                validate(
                        record, partitions, inventory, CellInputReader::problem, CellInputRecord.Builder::setInventory);
            case Topics.CLAIMS ->
                validate(record, partitions, claims, CellInputReader::problem, CellInputRecord.Builder::setClaims);
            case Topics.OUTCOMES ->
                validate(
                        record, partitions, outcomes, outcome -> Optional.empty(), CellInputRecord.Builder::setOutcome);
            default -> throw new IllegalStateException("the intake does not read " + record.topic());
        };
    }

    private interface InputSetter<T> {
        CellInputRecord.Builder set(CellInputRecord.Builder input, T value);
    }

    private <T extends SpecificRecord> ValidationResult validate(
            ConsumerRecord<byte[], byte[]> record,
            int partitions,
            RecordSerde<T> serde,
            Function<T, Optional<String>> problem,
            InputSetter<T> setter) {
        return switch (serde.read(record.topic(), record.value())) {
            case DecodeResult.Tombstone<T>() -> new ValidationResult.Tombstone();
            case DecodeResult.Failure<T> failure -> new ValidationResult.Rejected(failure);
            case DecodeResult.Value<T>(T value) ->
                problem.apply(value)
                        .<ValidationResult>map(message -> new ValidationResult.Rejected(
                                new DecodeResult.Failure<T>(BadRecordReason.RULE_BROKEN, message)))
                        .orElseGet(() -> new ValidationResult.Accepted(
                                setter.set(input(record, partitions), value).build()));
        };
    }

    private CellInputRecord.Builder input(ConsumerRecord<byte[], byte[]> record, int partitions) {
        return CellInputRecord.newBuilder()
                .setAt(clock.instant())
                .setOrigin(new Origin(record.topic(), record.partition(), partitions, record.offset()));
    }
}
