package dev.claimstream.cli;

import dev.claimstream.allocation.cell.Decision;
import dev.claimstream.allocation.cell.Explanation;
import dev.claimstream.allocation.cell.ItemId;
import dev.claimstream.allocation.cell.Output;
import dev.claimstream.kafka.AvroSerde;
import dev.claimstream.kafka.ConsumerSettings;
import dev.claimstream.kafka.Decoded;
import dev.claimstream.kafka.KafkaConnection;
import dev.claimstream.kafka.RecordSerde;
import dev.claimstream.kafka.Topics;
import dev.claimstream.kafka.registry.SchemaRegistry;
import dev.claimstream.schemas.ClaimsRecord;
import dev.claimstream.schemas.DecisionRecord;
import dev.claimstream.schemas.ExplanationRecord;
import dev.claimstream.wire.Decisions;
import dev.claimstream.wire.Explanations;
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
final class Follower implements AutoCloseable {
    private static final Duration POLL = Duration.ofMillis(100);

    private final KafkaConsumer<byte[], byte[]> consumer;
    private final RecordSerde<DecisionRecord> decisionSerde;
    private final RecordSerde<ExplanationRecord> explanationSerde;
    private final RecordSerde<ClaimsRecord> claimSerde;
    private final List<TopicPartition> partitions = new ArrayList<>();
    private final Map<String, Decision> decisions = new LinkedHashMap<>();
    private final Map<String, ItemId> items = new LinkedHashMap<>();
    private final Map<String, Explanation> explanations = new LinkedHashMap<>();
    private final Map<String, Long> claimsWritten = new LinkedHashMap<>();
    private final Map<String, Long> decisionsSeen = new LinkedHashMap<>();
    private Instant lastRecord = Instant.now();
    private Optional<Output.Answered> answered = Optional.empty();

    Follower(KafkaConnection kafka, SchemaRegistry registry) {
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
        consumer.poll(Duration.ZERO).forEach(this::take);
    }

    /**
     * Reads until the probe is answered and all records committed before that are read.
     *
     * @param check called between polls; an exception ends the reading
     */
    void follow(Runnable check) {
        answered = Optional.empty();
        while (answered.isEmpty()) {
            check.run();
            consumer.poll(POLL).forEach(this::take);
        }
        Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
        while (ends.entrySet().stream().anyMatch(end -> consumer.position(end.getKey()) < end.getValue())) {
            check.run();
            consumer.poll(POLL).forEach(this::take);
        }
    }

    /** Returns the time since the last record. */
    Duration silence() {
        return Duration.between(lastRecord, Instant.now());
    }

    private void take(ConsumerRecord<byte[], byte[]> record) {
        lastRecord = Instant.now();
        switch (record.topic()) {
            case Topics.CLAIMS -> takeClaim(record);
            case Topics.DECISIONS -> takeDecision(record);
            case Topics.EXPLANATIONS -> takeExplanation(record);
            default -> throw new IllegalStateException("nobody asked for " + record.topic());
        }
    }

    private void takeClaim(ConsumerRecord<byte[], byte[]> record) {
        if (claimSerde.read(record.topic(), record.value()) instanceof Decoded.Value<ClaimsRecord>(ClaimsRecord value)
                && value.getClaim().isPresent()) {
            claimsWritten.putIfAbsent(value.getUid(), record.timestamp());
        }
    }

    private void takeDecision(ConsumerRecord<byte[], byte[]> record) {
        if (decisionSerde.read(record.topic(), record.value())
                instanceof Decoded.Value<DecisionRecord>(DecisionRecord value)) {
            Decision decision = Decisions.from(value);
            Decision before = decisions.put(decision.claimUid(), decision);
            if (before == null || !isReservation(before, decision)) {
                items.put(decision.claimUid(), decision.item());
            }
            decisionsSeen.putIfAbsent(value.getClaimUid(), System.currentTimeMillis());
        }
    }

    /** Returns whether the new decision only adds a consumer and keeps the allocation. */
    private static boolean isReservation(Decision before, Decision now) {
        return before.verdict() instanceof Decision.Verdict.Granted had
                && now.verdict() instanceof Decision.Verdict.Granted has
                && had.allocation().equals(has.allocation());
    }

    private void takeExplanation(ConsumerRecord<byte[], byte[]> record) {
        if (explanationSerde.read(record.topic(), record.value())
                instanceof Decoded.Value<ExplanationRecord>(ExplanationRecord value)) {
            answered = answered.or(() -> Explanations.answer(value));
            if (Explanations.isOfItem(value)) {
                Explanation explanation = Explanations.from(value);
                explanations.put(explanation.item().toString(), explanation);
            }
        }
    }

    Optional<Decision> decision(String claimUid) {
        return Optional.ofNullable(decisions.get(claimUid));
    }

    /** Returns the claims whose last decision is a deallocation. */
    List<Decision> deallocations() {
        return decisions.values().stream()
                .filter(each -> each.verdict() instanceof Decision.Verdict.Deallocation)
                .toList();
    }

    /** Returns the explanation of the work item of the claim's allocation, or of the item with which the claim is pending. */
    Optional<Explanation> explanation(Decision decision) {
        return Optional.ofNullable(items.get(decision.claimUid())).map(item -> explanations.get(item.toString()));
    }

    /** Returns the time from each claim's record to its first decision, in milliseconds, ascending. */
    List<Long> latenciesMs() {
        List<Long> latencies = new ArrayList<>();
        claimsWritten.forEach((uid, written) -> {
            Long seen = decisionsSeen.get(uid);
            if (seen != null) {
                latencies.add(Math.max(0, seen - written));
            }
        });
        latencies.sort(null);
        return latencies;
    }

    /** Returns the explanations of pending work items. */
    List<Explanation> waiting() {
        return explanations.values().stream()
                .filter(each -> each.because() instanceof Explanation.Because.Waits)
                .toList();
    }

    /** Returns when the first decision was read. */
    Optional<Instant> firstAnswer() {
        return decisionsSeen.values().stream().min(Long::compare).map(Instant::ofEpochMilli);
    }

    @Override
    public void close() {
        consumer.close();
    }
}
