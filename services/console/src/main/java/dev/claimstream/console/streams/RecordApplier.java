package dev.claimstream.console.streams;

import dev.claimstream.allocation.cell.ItemId;
import dev.claimstream.console.ClaimView;
import dev.claimstream.console.ClusterView;
import dev.claimstream.console.TelemetrySample;
import dev.claimstream.dra.DeviceId;
import dev.claimstream.kafka.AvroSerde;
import dev.claimstream.kafka.DecodeResult;
import dev.claimstream.kafka.PublicTopicProducer;
import dev.claimstream.kafka.RecordKey;
import dev.claimstream.kafka.RecordSerde;
import dev.claimstream.kafka.Topics;
import dev.claimstream.kafka.registry.SchemaRegistry;
import dev.claimstream.schemas.CellInputRecord;
import dev.claimstream.schemas.ClaimsRecord;
import dev.claimstream.schemas.ComparisonRecord;
import dev.claimstream.schemas.DecisionRecord;
import dev.claimstream.schemas.DeviceSample;
import dev.claimstream.schemas.ExplanationRecord;
import dev.claimstream.schemas.InventoryRecord;
import dev.claimstream.schemas.Origin;
import dev.claimstream.schemas.OutcomeRecord;
import dev.claimstream.schemas.TelemetryRecord;
import dev.claimstream.wire.CellInputReader;
import dev.claimstream.wire.ComparisonCodec;
import dev.claimstream.wire.DecisionCodec;
import dev.claimstream.wire.ExplanationCodec;
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
 * Applies the records of the topics to {@link ClusterView}.
 * A record that cannot be decoded or breaks a rule is skipped, as in the allocator.
 */
final class RecordApplier {
    private static final Logger LOG = LoggerFactory.getLogger(RecordApplier.class);

    private final ClusterView clusterView;
    private final RecordSerde<InventoryRecord> inventory;
    private final RecordSerde<ClaimsRecord> claims;
    private final RecordSerde<DecisionRecord> decisions;
    private final RecordSerde<ExplanationRecord> explanations;
    private final RecordSerde<ComparisonRecord> comparisons;
    private final RecordSerde<OutcomeRecord> outcomes;
    private final RecordSerde<TelemetryRecord> telemetry;

    RecordApplier(SchemaRegistry registry, ClusterView clusterView) {
        this.clusterView = clusterView;
        inventory = AvroSerde.of(InventoryRecord.class, registry).withBytesMax(PublicTopicProducer.VALUE_BYTES_MAX);
        claims = AvroSerde.of(ClaimsRecord.class, registry).withBytesMax(PublicTopicProducer.VALUE_BYTES_MAX);
        decisions = AvroSerde.of(DecisionRecord.class, registry);
        explanations = AvroSerde.of(ExplanationRecord.class, registry);
        comparisons = AvroSerde.of(ComparisonRecord.class, registry);
        outcomes = AvroSerde.of(OutcomeRecord.class, registry);
        telemetry = AvroSerde.of(TelemetryRecord.class, registry);
    }

    /**
     * Applies a record.
     *
     * @param partitions number of partitions of the topic
     * @throws dev.claimstream.kafka.registry.RegistryException if the registry does not respond; the record has not been applied
     */
    void apply(ConsumerRecord<byte[], byte[]> record, int partitions) {
        switch (record.topic()) {
            case Topics.INVENTORY ->
                read(record, inventory, () -> {}, value -> {
                    if (CellInputReader.problem(value).isEmpty()) {
                        observe(input(record, partitions).setInventory(value).build());
                    }
                });
            case Topics.CLAIMS ->
                read(record, claims, () -> {}, value -> {
                    if (CellInputReader.problem(value).isEmpty()) {
                        observe(input(record, partitions).setClaims(value).build());
                    }
                });
            case Topics.DECISIONS ->
                read(
                        record,
                        decisions,
                        () -> clusterView.forget(key(record)),
                        value -> clusterView.applyDecision(DecisionCodec.from(value), value.getAt()));
            case Topics.EXPLANATIONS ->
                read(record, explanations, () -> item(record).ifPresent(clusterView::forget), this::applyExplanation);
            case Topics.COMPARISONS ->
                read(record, comparisons, () -> {}, value -> clusterView.applyComparison(ComparisonCodec.from(value)));
            case Topics.OUTCOMES -> read(record, outcomes, () -> {}, this::applyOutcome);
            case Topics.TELEMETRY -> read(record, telemetry, () -> {}, this::applySamples);
            default -> throw new IllegalStateException("unexpected topic " + record.topic());
        }
    }

    private static <T extends SpecificRecord> void read(
            ConsumerRecord<byte[], byte[]> record, RecordSerde<T> serde, Runnable onTombstone, Consumer<T> onValue) {
        try {
            switch (serde.read(record.topic(), record.value())) {
                case DecodeResult.Value<T>(T value) -> onValue.accept(value);
                case DecodeResult.Tombstone<T>() -> onTombstone.run();
                case DecodeResult.Failure<T>(var reason, String message) ->
                    skip(record, reason.code() + ": " + message);
            }
        } catch (IllegalArgumentException e) {
            skip(record, String.valueOf(e.getMessage())); // an enum code of a newer allocator
        }
    }

    private static void skip(ConsumerRecord<byte[], byte[]> record, String reason) {
        LOG.atDebug()
                .addKeyValue("topic", record.topic())
                .addKeyValue("offset", record.offset())
                .addKeyValue("reason", reason)
                .log("record skipped");
    }

    private static CellInputRecord.Builder input(ConsumerRecord<byte[], byte[]> record, int partitions) {
        return CellInputRecord.newBuilder()
                .setAt(Instant.ofEpochMilli(record.timestamp()))
                .setOrigin(new Origin(record.topic(), record.partition(), partitions, record.offset()));
    }

    private void observe(CellInputRecord input) {
        CellInputReader.from(0, input).ifPresent(each -> clusterView.observe(each.observation(), each.at()));
    }

    private static String key(ConsumerRecord<byte[], byte[]> record) {
        return record.key() == null ? "" : new String(record.key(), StandardCharsets.UTF_8);
    }

    private static Optional<ItemId> item(ConsumerRecord<byte[], byte[]> record) {
        return ExplanationCodec.item(RecordKey.parse(key(record)).parts());
    }

    private void applyExplanation(ExplanationRecord record) {
        if (ExplanationCodec.isOfItem(record)) {
            clusterView.applyExplanation(ExplanationCodec.from(record), record.getAt());
        }
        ExplanationCodec.refreshMarker(record).ifPresent(clusterView::applyRefresh);
    }

    private void applyOutcome(OutcomeRecord record) {
        clusterView.applyOutcome(
                record.getClaimUid(),
                new ClaimView.ReportedOutcome(
                        record.getDecisionNumber(),
                        record.getOutcome(),
                        record.getMessage(),
                        record.getAuditId(),
                        record.getAt()));
    }

    private void applySamples(TelemetryRecord record) {
        record.getSamples().forEach(each -> clusterView.applySample(device(each), sample(record.getAt(), each)));
    }

    private static DeviceId device(DeviceSample sample) {
        return new DeviceId(
                sample.getDevice().getDriver(),
                sample.getDevice().getPool(),
                sample.getDevice().getDevice());
    }

    private static TelemetrySample sample(Instant at, DeviceSample device) {
        return new TelemetrySample(
                at,
                real(device.getUtilizationPercent()),
                whole(device.getMemoryUsedBytes()),
                whole(device.getMemoryTotalBytes()),
                real(device.getPowerWatts()),
                real(device.getTemperatureCelsius()));
    }

    private static OptionalDouble real(Optional<Double> value) {
        return value.map(OptionalDouble::of).orElse(OptionalDouble.empty());
    }

    private static OptionalLong whole(Optional<Long> value) {
        return value.map(OptionalLong::of).orElse(OptionalLong.empty());
    }
}
