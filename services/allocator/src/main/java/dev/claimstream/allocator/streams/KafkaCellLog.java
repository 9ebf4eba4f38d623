package dev.claimstream.allocator.streams;

import dev.claimstream.kafka.AvroSerde;
import dev.claimstream.kafka.Decoded;
import dev.claimstream.kafka.KafkaConnection;
import dev.claimstream.kafka.RecordSerde;
import dev.claimstream.kafka.Topics;
import dev.claimstream.kafka.registry.SchemaRegistry;
import dev.claimstream.schemas.CellInput;
import java.util.OptionalLong;
import org.apache.kafka.common.TopicPartition;

/** Asks the brokers. It makes its clients for each question: they come rarely. */
final class KafkaCellLog implements CellLog {
    private final KafkaConnection kafka;
    private final String instance;
    private final RecordSerde<CellInput> inputs;

    KafkaCellLog(KafkaConnection kafka, SchemaRegistry registry, String instance) {
        this.kafka = kafka;
        this.instance = instance;
        inputs = AvroSerde.of(CellInput.class, registry).withBytesMax(2 * AvroSerde.BYTES_MAX);
    }

    @Override
    public Bearings bearings(int cell) {
        TopicPartition log = Offsets.log(cell);
        try (var offsets = new Offsets(kafka)) {
            String id = offsets.topic(Topics.CELLS_IN)
                    .map(topic -> topic.topicId().toString())
                    .orElseThrow(() -> new Discontinuity("topic %s is gone".formatted(Topics.CELLS_IN)));
            OptionalLong committed = offsets.ofGroup(AllocatorTopology.APPLICATION, log);
            return new Bearings(id, offsets.begin(log), offsets.end(log), committed);
        }
    }

    @Override
    public boolean hasInputs(int cell, long from, long to) {
        TopicPartition log = Offsets.log(cell);
        try (var offsets = new Offsets(kafka);
                var records = new Records(kafka, instance + "-look")) {
            long begin = Math.max(from, offsets.begin(log));
            long end = Math.min(to, offsets.committedEnd(log));
            return records.first(log, begin, end).isPresent();
        }
    }

    @Override
    public boolean hasRouted() {
        var log = new TopicPartition(Topics.ROUTER_IN, 0);
        try (var offsets = new Offsets(kafka)) {
            return offsets.ofGroup(AllocatorTopology.APPLICATION, log).orElse(0) > 0;
        }
    }

    @Override
    public boolean isRebuild(int cell, long offset) {
        TopicPartition log = Offsets.log(cell);
        try (var offsets = new Offsets(kafka)) {
            if (offset < offsets.begin(log) || offset >= offsets.committedEnd(log)) {
                return false;
            }
            try (var records = new Records(kafka, instance + "-look")) {
                return records.first(log, offset, offsets.committedEnd(log))
                        .map(record -> inputs.read(Topics.CELLS_IN, record.value()))
                        .filter(read -> read instanceof Decoded.Value<CellInput>(CellInput input)
                                && input.getRebuild().isPresent())
                        .isPresent();
            }
        }
    }
}
