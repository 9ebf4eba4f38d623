package dev.claimstream.console.streams;

import dev.claimstream.allocation.cell.ItemId;
import dev.claimstream.console.ClaimView;
import dev.claimstream.console.Sample;
import dev.claimstream.console.World;
import dev.claimstream.dra.DeviceId;
import dev.claimstream.kafka.AvroSerde;
import dev.claimstream.kafka.Decoded;
import dev.claimstream.kafka.PublicTopics;
import dev.claimstream.kafka.RecordKey;
import dev.claimstream.kafka.RecordSerde;
import dev.claimstream.kafka.Topics;
import dev.claimstream.kafka.registry.SchemaRegistry;
import dev.claimstream.schemas.CellInput;
import dev.claimstream.schemas.ClaimsRecord;
import dev.claimstream.schemas.DecisionRecord;
import dev.claimstream.schemas.DeviceSample;
import dev.claimstream.schemas.ExplanationRecord;
import dev.claimstream.schemas.InventoryRecord;
import dev.claimstream.schemas.Origin;
import dev.claimstream.schemas.OutcomeRecord;
import dev.claimstream.schemas.TelemetryRecord;
import dev.claimstream.wire.Decisions;
import dev.claimstream.wire.Explanations;
import dev.claimstream.wire.Inputs;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.function.Consumer;
import org.apache.avro.specific.SpecificRecord;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Applies the records of the topics to {@link World}.
 * A record that cannot be decoded or breaks a rule is skipped, as in the allocator.
 */
final class RecordTelling {
    private static final Logger LOG = LoggerFactory.getLogger(RecordTelling.class);

    private final World world;
    private final RecordSerde<InventoryRecord> inventory;
    private final RecordSerde<ClaimsRecord> claims;
    private final RecordSerde<DecisionRecord> decisions;
    private final RecordSerde<ExplanationRecord> explanations;
    private final RecordSerde<OutcomeRecord> outcomes;
    private final RecordSerde<TelemetryRecord> telemetry;

    RecordTelling(SchemaRegistry registry, World world) {
        this.world = world;
        inventory = AvroSerde.of(InventoryRecord.class, registry).withBytesMax(PublicTopics.VALUE_BYTES_MAX);
        claims = AvroSerde.of(ClaimsRecord.class, registry).withBytesMax(PublicTopics.VALUE_BYTES_MAX);
        decisions = AvroSerde.of(DecisionRecord.class, registry);
        explanations = AvroSerde.of(ExplanationRecord.class, registry);
        outcomes = AvroSerde.of(OutcomeRecord.class, registry);
        telemetry = AvroSerde.of(TelemetryRecord.class, registry);
    }

    /**
     * Applies a record.
     *
     * @param partitions number of partitions of the topic
     * @throws dev.claimstream.kafka.registry.RegistryException if the registry does not respond; the record has not been applied
     */
    void tell(ConsumerRecord<byte[], byte[]> record, int partitions) {
        switch (record.topic()) {
            case Topics.INVENTORY ->
                read(record, inventory, () -> {}, value -> {
                    if (Inputs.problem(value).isEmpty()) {
                        observe(input(record, partitions).setInventory(value).build());
                    }
                });
            case Topics.CLAIMS ->
                read(record, claims, () -> {}, value -> {
                    if (Inputs.problem(value).isEmpty()) {
                        observe(input(record, partitions).setClaims(value).build());
                    }
                });
            case Topics.DECISIONS ->
                read(
                        record,
                        decisions,
                        () -> world.forget(key(record)),
                        value -> world.decided(Decisions.from(value), value.getAt()));
            case Topics.EXPLANATIONS ->
                read(record, explanations, () -> item(record).ifPresent(world::forget), this::explained);
            case Topics.OUTCOMES -> read(record, outcomes, () -> {}, this::carriedOut);
            case Topics.TELEMETRY -> read(record, telemetry, () -> {}, this::measured);
            default -> throw new IllegalStateException("nobody asked for " + record.topic());
        }
    }

    private static <T extends SpecificRecord> void read(
            ConsumerRecord<byte[], byte[]> record, RecordSerde<T> serde, Runnable gone, Consumer<T> said) {
        try {
            switch (serde.read(record.topic(), record.value())) {
                case Decoded.Value<T>(T value) -> said.accept(value);
                case Decoded.Tombstone<T>() -> gone.run();
                case Decoded.Bad<T>(var reason, String message) -> leaveOut(record, reason.code() + ": " + message);
            }
        } catch (IllegalArgumentException e) {
            leaveOut(record, String.valueOf(e.getMessage())); // an enum code of a newer allocator
        }
    }

    private static void leaveOut(ConsumerRecord<byte[], byte[]> record, String why) {
        LOG.atDebug()
                .addKeyValue("topic", record.topic())
                .addKeyValue("offset", record.offset())
                .addKeyValue("reason", why)
                .log("record left out");
    }

    private static CellInput.Builder input(ConsumerRecord<byte[], byte[]> record, int partitions) {
        return CellInput.newBuilder()
                .setAt(Instant.ofEpochMilli(record.timestamp()))
                .setOrigin(new Origin(record.topic(), record.partition(), partitions, record.offset()));
    }

    private void observe(CellInput input) {
        Inputs.from(0, input).ifPresent(each -> world.observe(each.what(), each.at()));
    }

    private static String key(ConsumerRecord<byte[], byte[]> record) {
        return record.key() == null ? "" : new String(record.key(), StandardCharsets.UTF_8);
    }

    private static Optional<ItemId> item(ConsumerRecord<byte[], byte[]> record) {
        return Explanations.item(RecordKey.parse(key(record)).parts());
    }

    private void explained(ExplanationRecord record) {
        if (Explanations.isOfItem(record)) {
            world.explained(Explanations.from(record), record.getAt());
        }
        Explanations.refreshed(record).ifPresent(world::refreshed);
    }

    private void carriedOut(OutcomeRecord record) {
        world.carriedOut(
                record.getClaimUid(),
                new ClaimView.Outcome(record.getDecisionNumber(), record.getOutcome(), record.getMessage()));
    }

    private void measured(TelemetryRecord record) {
        record.getSamples().forEach(each -> world.measured(device(each), sample(record.getAt(), each)));
    }

    private static DeviceId device(DeviceSample sample) {
        return new DeviceId(
                sample.getDevice().getDriver(),
                sample.getDevice().getPool(),
                sample.getDevice().getDevice());
    }

    private static Sample sample(Instant at, DeviceSample said) {
        return new Sample(
                at,
                real(said.getUtilisationPercent()),
                whole(said.getMemoryUsedBytes()),
                whole(said.getMemoryTotalBytes()),
                real(said.getPowerWatts()),
                real(said.getTemperatureCelsius()));
    }

    private static OptionalDouble real(Optional<Double> value) {
        return value.map(OptionalDouble::of).orElse(OptionalDouble.empty());
    }

    private static OptionalLong whole(Optional<Long> value) {
        return value.map(OptionalLong::of).orElse(OptionalLong.empty());
    }
}
