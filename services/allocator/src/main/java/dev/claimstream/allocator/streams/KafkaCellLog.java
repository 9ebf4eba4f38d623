package dev.claimstream.allocator.streams;

import dev.claimstream.kafka.AvroSerde;
import dev.claimstream.kafka.DecodeResult;
import dev.claimstream.kafka.KafkaConnection;
import dev.claimstream.kafka.RecordSerde;
import dev.claimstream.kafka.Topics;
import dev.claimstream.kafka.registry.SchemaRegistry;
import dev.claimstream.schemas.CellInputRecord;
import dev.claimstream.schemas.DecisionRecord;
import dev.claimstream.schemas.RouterInputRecord;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Predicate;
import org.apache.avro.specific.SpecificRecord;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;

/** Reads logs from the brokers. Each request creates its own clients: requests are rare, and so several threads may use it. */
final class KafkaCellLog implements CellLog {
    private final KafkaConnection kafka;
    private final SchemaRegistry registry;
    private final String instance;
    private final RecordSerde<CellInputRecord> inputs;
    private final RecordSerde<RouterInputRecord> routerInputs;

    KafkaCellLog(KafkaConnection kafka, SchemaRegistry registry, String instance) {
        this.kafka = kafka;
        this.registry = registry;
        this.instance = instance;
        inputs = AvroSerde.of(CellInputRecord.class, registry).withBytesMax(2 * AvroSerde.BYTES_MAX);
        routerInputs = AvroSerde.of(RouterInputRecord.class, registry).withBytesMax(3 * AvroSerde.BYTES_MAX);
    }

    @Override
    public LogPosition position(TopicPartition log) {
        try (var offsets = new KafkaAdmin(kafka)) {
            String id = offsets.topic(log.topic())
                    .map(topic -> topic.topicId().toString())
                    .orElseThrow(() -> new LogContinuityException("topic %s does not exist".formatted(log.topic())));
            OptionalLong committed = offsets.committed(AllocatorTopology.APPLICATION, log);
            return new LogPosition(id, offsets.begin(log), offsets.end(log), committed);
        }
    }

    @Override
    public boolean hasInputs(TopicPartition log, long from, long to) {
        try (var offsets = new KafkaAdmin(kafka);
                var records = reader(log)) {
            long begin = Math.max(from, offsets.begin(log));
            long end = Math.min(to, offsets.committedEnd(log));
            return records.first(log, begin, end).isPresent();
        }
    }

    @Override
    public boolean isRebuild(TopicPartition log, long offset) {
        try (var offsets = new KafkaAdmin(kafka)) {
            if (offset < offsets.begin(log) || offset >= offsets.committedEnd(log)) {
                return false;
            }
            try (var records = reader(log)) {
                return records.first(log, offset, offsets.committedEnd(log))
                        .flatMap(this::input)
                        .flatMap(CellInputRecord::getRebuild)
                        .isPresent();
            }
        }
    }

    @Override
    public PublicationStatus publicationStatus(TopicPartition ledger, Predicate<DecisionRecord> isRelevant) {
        try (var outputs = new PublishedOutputReader(kafka, registry, instance)) {
            return outputs.read(ledger, isRelevant);
        }
    }

    /** Creates a reader. Its client id contains the log: the client's metrics need a unique id. */
    private TopicRangeReader reader(TopicPartition log) {
        return new TopicRangeReader(kafka, "%s-look-%s".formatted(instance, log));
    }

    private Optional<CellInputRecord> input(ConsumerRecord<byte[], byte[]> record) {
        return record.topic().equals(Topics.ROUTER_IN)
                ? read(routerInputs, record).flatMap(RouterInputRecord::getObservation)
                : read(inputs, record);
    }

    private static <T extends SpecificRecord> Optional<T> read(
            RecordSerde<T> serde, ConsumerRecord<byte[], byte[]> record) {
        return serde.read(record.topic(), record.value()) instanceof DecodeResult.Value<T>(T value)
                ? Optional.of(value)
                : Optional.empty();
    }
}
