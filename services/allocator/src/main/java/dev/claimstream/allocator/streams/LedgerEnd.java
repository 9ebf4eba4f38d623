package dev.claimstream.allocator.streams;

import dev.claimstream.kafka.DecodeResult;
import dev.claimstream.kafka.RecordSerde;
import dev.claimstream.schemas.LedgerEvent;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;

/**
 * The committed end of a ledger.
 *
 * @param begin first available offset of the ledger
 * @param tail its last events, without events that cannot be decoded
 * @param last the last event, if any is available
 */
record LedgerEnd(long begin, List<LedgerEvent> tail, Optional<LedgerEvent> last) {
    LedgerEnd {
        tail = List.copyOf(tail);
    }

    /** @param offsets number of offsets that are read for the tail, transaction markers included */
    static LedgerEnd read(
            TopicPartition ledger,
            long offsets,
            KafkaAdmin log,
            TopicRangeReader records,
            RecordSerde<LedgerEvent> events) {
        long begin = log.begin(ledger);
        long end = log.settledEnd(ledger);
        List<LedgerEvent> tail = new ArrayList<>();
        records.forEach(
                ledger,
                Math.max(begin, end - offsets),
                end,
                record -> event(events, record).ifPresent(tail::add));
        Optional<LedgerEvent> last = tail.isEmpty()
                ? records.last(ledger, begin, end).flatMap(record -> event(events, record))
                : Optional.of(tail.getLast());
        return new LedgerEnd(begin, tail, last);
    }

    private static Optional<LedgerEvent> event(RecordSerde<LedgerEvent> events, ConsumerRecord<byte[], byte[]> record) {
        return events.read(record.topic(), record.value()) instanceof DecodeResult.Value<LedgerEvent>(LedgerEvent event)
                ? Optional.of(event)
                : Optional.empty();
    }
}
