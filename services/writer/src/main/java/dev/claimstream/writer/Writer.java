package dev.claimstream.writer;

import dev.claimstream.allocation.cell.Decision;
import dev.claimstream.kafka.AvroSerde;
import dev.claimstream.kafka.ConsumerSettings;
import dev.claimstream.kafka.Decoded;
import dev.claimstream.kafka.KafkaConnection;
import dev.claimstream.kafka.ProducerSettings;
import dev.claimstream.kafka.RecordSerde;
import dev.claimstream.kafka.Sender;
import dev.claimstream.kafka.Topics;
import dev.claimstream.kafka.registry.SchemaRegistry;
import dev.claimstream.schemas.DecisionRecord;
import dev.claimstream.schemas.OutcomeRecord;
import dev.claimstream.wire.Decisions;
import io.micronaut.context.annotation.Context;
import io.micronaut.context.annotation.Requires;
import jakarta.annotation.PostConstruct;
import jakarta.annotation.PreDestroy;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.errors.WakeupException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Follows the committed decisions, carries each of them out, and says what became of it. */
@Context
@Requires(property = "claimstream.writer.enabled", notEquals = "false")
@Requires(beans = Commits.class)
public final class Writer {
    private static final Logger LOG = LoggerFactory.getLogger(Writer.class);
    private static final Duration POLL = Duration.ofMillis(200);

    private final Commits commits;
    private final KafkaConsumer<byte[], byte[]> consumer;
    private final Sender sender;
    private final RecordSerde<DecisionRecord> decisions;
    private final RecordSerde<OutcomeRecord> outcomes;
    private final InstantSource clock = InstantSource.system();
    private final Thread thread = new Thread(this::run, "writer");

    Writer(Commits commits, KafkaConnection kafka, SchemaRegistry registry) {
        this.commits = commits;
        decisions = AvroSerde.of(DecisionRecord.class, registry);
        outcomes = AvroSerde.of(OutcomeRecord.class, registry);
        consumer = new KafkaConsumer<>(
                ConsumerSettings.of(kafka, "writer")
                        .inGroup("claimstream-writer")
                        .properties(),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer());
        sender = new Sender(ProducerSettings.of(kafka, "writer"));
    }

    @PostConstruct
    void start() {
        thread.start();
    }

    private void run() {
        try (consumer;
                sender) {
            consumer.subscribe(List.of(Topics.DECISIONS));
            while (!Thread.currentThread().isInterrupted()) {
                var records = consumer.poll(POLL);
                records.forEach(this::take);
                if (!records.isEmpty()) {
                    sender.flush();
                    consumer.commitAsync();
                }
            }
        } catch (WakeupException e) {
            LOG.atDebug().log("the writer stops");
        } catch (RuntimeException e) {
            LOG.atError().setCause(e).log("the writer stops");
        }
    }

    private void take(ConsumerRecord<byte[], byte[]> record) {
        switch (decisions.read(record.topic(), record.value())) {
            case Decoded.Value<DecisionRecord>(DecisionRecord value) -> carryOut(Decisions.from(value));
            case Decoded.Tombstone<DecisionRecord>() -> {
                // the claim is gone: nothing to carry out
            }
            case Decoded.Bad<DecisionRecord>(var reason, String message) ->
                throw new IllegalStateException(
                        "%s at offset %d: %s: %s".formatted(record.topic(), record.offset(), reason.code(), message));
        }
    }

    private void carryOut(Decision decision) {
        if (decision.verdict() instanceof Decision.Verdict.Waits) {
            commits.commit(decision);
            return;
        }
        Commits.Outcome outcome = commits.commit(decision);
        var said = OutcomeRecord.newBuilder()
                .setClaimUid(decision.claimUid())
                .setDecisionNumber(decision.number())
                .setOutcome(outcome.text())
                .setAt(clock.instant())
                .build();
        sender.send(Topics.OUTCOMES, decision.claimUid(), outcomes.write(Topics.OUTCOMES, said));
    }

    @PreDestroy
    void stop() {
        consumer.wakeup();
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
