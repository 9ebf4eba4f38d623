package dev.claimstream.allocator.streams;

import dev.claimstream.kafka.AvroSerde;
import dev.claimstream.kafka.BadReason;
import dev.claimstream.kafka.Decoded;
import dev.claimstream.kafka.PublicTopics;
import dev.claimstream.kafka.RecordSerde;
import dev.claimstream.kafka.Topics;
import dev.claimstream.kafka.registry.SchemaRegistry;
import dev.claimstream.schemas.CellInput;
import dev.claimstream.schemas.ClaimsRecord;
import dev.claimstream.schemas.InventoryRecord;
import dev.claimstream.schemas.Origin;
import dev.claimstream.schemas.OutcomeRecord;
import dev.claimstream.wire.Inputs;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.apache.avro.specific.SpecificRecord;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** Decodes and validates records of the public topics and of {@code outcomes.v1}, and makes cell inputs of them. */
final class Door {
    /** The topics that the intake consumes. */
    static final List<String> TOPICS = List.of(Topics.INVENTORY, Topics.CLAIMS, Topics.OUTCOMES);

    private final RecordSerde<InventoryRecord> inventory;
    private final RecordSerde<ClaimsRecord> claims;
    private final RecordSerde<OutcomeRecord> outcomes;
    private final InstantSource clock;

    Door(SchemaRegistry registry, InstantSource clock) {
        this.clock = clock;
        inventory = AvroSerde.of(InventoryRecord.class, registry).withBytesMax(PublicTopics.VALUE_BYTES_MAX);
        outcomes = AvroSerde.of(OutcomeRecord.class, registry).withBytesMax(PublicTopics.VALUE_BYTES_MAX);
        claims = AvroSerde.of(ClaimsRecord.class, registry).withBytesMax(PublicTopics.VALUE_BYTES_MAX);
    }

    /** The result for one record. */
    sealed interface Taken {
        /** The record is an input for a cell. */
        record Placed(CellInput input) implements Taken {}

        /** The record cannot be decoded, or it breaks a rule. */
        record Refused(Decoded.Bad<?> bad) implements Taken {}

        /** The record is a tombstone. It has no effect: the deletion was in the record before it. */
        record Empty() implements Taken {}
    }

    /**
     * Decodes and validates a record.
     *
     * @param partitions number of partitions of its topic
     * @throws dev.claimstream.kafka.registry.RegistryException if the registry does not respond
     */
    Taken take(ConsumerRecord<byte[], byte[]> record, int partitions) {
        return switch (record.topic()) {
            case Topics.INVENTORY ->
                take(record, partitions, inventory, Inputs::problem, CellInput.Builder::setInventory);
            case Topics.CLAIMS -> take(record, partitions, claims, Inputs::problem, CellInput.Builder::setClaims);
            case Topics.OUTCOMES ->
                take(record, partitions, outcomes, outcome -> Optional.empty(), CellInput.Builder::setOutcome);
            default -> throw new IllegalStateException("the intake does not read " + record.topic());
        };
    }

    private interface Placing<T> {
        CellInput.Builder place(CellInput.Builder input, T value);
    }

    private <T extends SpecificRecord> Taken take(
            ConsumerRecord<byte[], byte[]> record,
            int partitions,
            RecordSerde<T> serde,
            Function<T, Optional<String>> problem,
            Placing<T> placing) {
        return switch (serde.read(record.topic(), record.value())) {
            case Decoded.Tombstone<T>() -> new Taken.Empty();
            case Decoded.Bad<T> bad -> new Taken.Refused(bad);
            case Decoded.Value<T>(T value) ->
                problem.apply(value)
                        .<Taken>map(message -> new Taken.Refused(new Decoded.Bad<T>(BadReason.RULE_BROKEN, message)))
                        .orElseGet(() -> new Taken.Placed(
                                placing.place(input(record, partitions), value).build()));
        };
    }

    private CellInput.Builder input(ConsumerRecord<byte[], byte[]> record, int partitions) {
        return CellInput.newBuilder()
                .setAt(clock.instant())
                .setOrigin(new Origin(record.topic(), record.partition(), partitions, record.offset()));
    }
}
