package dev.claimstream.cli.standalone;

import dev.claimstream.allocation.cell.Decision;
import dev.claimstream.allocation.cell.Explanation;
import dev.claimstream.allocation.cell.ItemId;
import dev.claimstream.allocation.cell.Output;
import dev.claimstream.kafka.AvroSerde;
import dev.claimstream.kafka.ConsumerSettings;
import dev.claimstream.kafka.DecodeResult;
import dev.claimstream.kafka.KafkaConnection;
import dev.claimstream.kafka.RecordSerde;
import dev.claimstream.kafka.Topics;
import dev.claimstream.kafka.registry.SchemaRegistry;
import dev.claimstream.schemas.ClaimsRecord;
import dev.claimstream.schemas.DecisionRecord;
import dev.claimstream.schemas.ExplanationRecord;
import dev.claimstream.wire.DecisionCodec;
import dev.claimstream.wire.ExplanationCodec;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** Consumes committed decisions and explanations until the cell answers a probe. Not thread-safe. */
public final class DecisionConsumer implements AutoCloseable {
    private static final Duration POLL = Duration.ofMillis(100);

    private final KafkaConsumer<byte[], byte[]> consumer;
    private final RecordSerde<DecisionRecord> decisionSerde;
    private final RecordSerde<ExplanationRecord> explanationSerde;
    private final RecordSerde<ClaimsRecord> claimSerde;
    private final List<TopicPartition> partitions = new ArrayList<>();
    private final Map<String, Decision> decisions = new LinkedHashMap<>();
    private final Map<String, ItemId> items = new LinkedHashMap<>();
    private final Map<String, Explanation> explanations = new LinkedHashMap<>();
    private final Map<String, Long> claimWrittenMs = new LinkedHashMap<>();
    private final Map<String, Long> firstDecisionMs = new LinkedHashMap<>();
    private Instant lastRecord = Instant.now();
    private Optional<Output.ProbeAnswered> probeAnswer = Optional.empty();

    public DecisionConsumer(KafkaConnection kafka, SchemaRegistry registry) {
        decisionSerde = AvroSerde.of(DecisionRecord.class, registry);
        explanationSerde = AvroSerde.of(ExplanationRecord.class, registry);
        claimSerde = AvroSerde.of(ClaimsRecord.class, registry);
        var properties = ConsumerSettings.of(kafka, "follower").properties();
        properties.put("fetch.max.wait.ms", "50");
        consumer = new KafkaConsumer<>(properties, new ByteArrayDeserializer(), new ByteArrayDeserializer());
        for (String topic : List.of(Topics.CLAIMS, Topics.DECISIONS, Topics.EXPLANATIONS)) {
            consumer.partitionsFor(topic).forEach(each -> partitions.add(new TopicPartition(topic, each.partition())));
        }
        consumer.assign(partitions);
        consumer.seekToBeginning(partitions);
    }

    /** Fetches metadata and schemas before the first decision, so that they do not delay it. */
    void prepare() {
        consumer.poll(Duration.ZERO).forEach(this::handle);
    }

    /**
     * Reads until the probe is answered and all records committed before that are read.
     *
     * @param check called between polls; an exception ends the reading
     */
    public void readUntilProbe(Runnable check) {
        probeAnswer = Optional.empty();
        while (probeAnswer.isEmpty()) {
            check.run();
            consumer.poll(POLL).forEach(this::handle);
        }
        Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
        while (ends.entrySet().stream().anyMatch(end -> consumer.position(end.getKey()) < end.getValue())) {
            check.run();
            consumer.poll(POLL).forEach(this::handle);
        }
    }

    /** Returns the time since the last record. */
    Duration idleTime() {
        return Duration.between(lastRecord, Instant.now());
    }

    private void handle(ConsumerRecord<byte[], byte[]> record) {
        lastRecord = Instant.now();
        switch (record.topic()) {
            case Topics.CLAIMS -> handleClaim(record);
            case Topics.DECISIONS -> handleDecision(record);
            case Topics.EXPLANATIONS -> handleExplanation(record);
            default -> throw new IllegalStateException("unexpected topic " + record.topic());
        }
    }

    private void handleClaim(ConsumerRecord<byte[], byte[]> record) {
        if (claimSerde.read(record.topic(), record.value())
                        instanceof DecodeResult.Value<ClaimsRecord>(ClaimsRecord value)
                && value.getClaim().isPresent()) {
            claimWrittenMs.putIfAbsent(value.getUid(), record.timestamp());
        }
    }

    private void handleDecision(ConsumerRecord<byte[], byte[]> record) {
        if (decisionSerde.read(record.topic(), record.value())
                instanceof DecodeResult.Value<DecisionRecord>(DecisionRecord value)) {
            Decision decision = DecisionCodec.from(value);
            Decision before = decisions.put(decision.claimUid(), decision);
            if (before == null || !isReservation(before, decision)) {
                items.put(decision.claimUid(), decision.item());
            }
            firstDecisionMs.putIfAbsent(value.getClaimUid(), System.currentTimeMillis());
        }
    }

    /** Returns whether the new decision only adds a consumer and keeps the allocation. */
    private static boolean isReservation(Decision before, Decision now) {
        return before.result() instanceof Decision.DecisionResult.Allocated had
                && now.result() instanceof Decision.DecisionResult.Allocated has
                && had.allocation().equals(has.allocation());
    }

    private void handleExplanation(ConsumerRecord<byte[], byte[]> record) {
        if (explanationSerde.read(record.topic(), record.value())
                instanceof DecodeResult.Value<ExplanationRecord>(ExplanationRecord value)) {
            probeAnswer = probeAnswer.or(() -> ExplanationCodec.probeAnswer(value));
            if (ExplanationCodec.isOfItem(value)) {
                Explanation explanation = ExplanationCodec.from(value);
                explanations.put(explanation.item().toString(), explanation);
            }
        }
    }

    public Optional<Decision> decision(String claimUid) {
        return Optional.ofNullable(decisions.get(claimUid));
    }

    /** Returns the claims whose last decision is a deallocation. */
    List<Decision> deallocations() {
        return decisions.values().stream()
                .filter(each -> each.result() instanceof Decision.DecisionResult.Deallocation)
                .toList();
    }

    /** Returns the explanation of the work item of the claim's allocation, or of the item with which the claim is pending. */
    Optional<Explanation> explanation(Decision decision) {
        return Optional.ofNullable(items.get(decision.claimUid())).map(item -> explanations.get(item.toString()));
    }

    /** Returns the time from each claim's record to its first decision, in milliseconds, ascending. */
    List<Long> latenciesMs() {
        List<Long> latencies = new ArrayList<>();
        claimWrittenMs.forEach((uid, written) -> {
            Long seen = firstDecisionMs.get(uid);
            if (seen != null) {
                latencies.add(Math.max(0, seen - written));
            }
        });
        latencies.sort(null);
        return latencies;
    }

    /** Returns the explanations of pending work items. */
    List<Explanation> pendingExplanations() {
        return explanations.values().stream()
                .filter(each -> each.detail() instanceof Explanation.ExplanationDetail.Pending)
                .toList();
    }

    /** Returns when the first decision was read. */
    Optional<Instant> firstDecision() {
        return firstDecisionMs.values().stream().min(Long::compare).map(Instant::ofEpochMilli);
    }

    @Override
    public void close() {
        consumer.close();
    }
}
