package dev.claimstream.systemtests.failures;

import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.function.Predicate;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;

/**
 * Delivers every record twice and out of order. First deliveries of one object keep their order. A duplicate follows at
 * once, or later, after other records of the object, for some objects after the next sync marker. A sync marker is
 * delivered after the first deliveries of all earlier records of its kind and partition. It is delivered twice too.
 */
final class RedeliveryTransform implements Relay.RecordTransform {
    private final Random random;
    private final Map<RecordSubject, Deque<ConsumerRecord<byte[], byte[]>>> pending = new LinkedHashMap<>();
    private final Map<RecordSubject, List<ConsumerRecord<byte[], byte[]>>> duplicates = new LinkedHashMap<>();
    /** Subjects whose duplicates are delivered after the next sync marker. */
    private final Set<RecordSubject> deferred = new HashSet<>();
    /** The highest delivered offset of each partition. */
    private final Map<TopicPartition, Long> latestOffsets = new HashMap<>();

    private int reordered;
    private int delayed;
    private int afterSync;
    private volatile boolean isFlushRequested;

    RedeliveryTransform(long seed) {
        this.random = new Random(seed);
    }

    /**
     * The object or sync marker of a record.
     *
     * @param key of the record: {@code kind/place/name} of an object, or {@code Synced/source/kind} of a sync marker
     */
    private record RecordSubject(String topic, int partition, String key) {
        private static final String SYNC_MARKER_PREFIX = "Synced/";

        static RecordSubject of(ConsumerRecord<byte[], byte[]> record) {
            return new RecordSubject(
                    record.topic(), record.partition(), new String(record.key(), StandardCharsets.UTF_8));
        }

        boolean isSyncMarker() {
            return key.startsWith(SYNC_MARKER_PREFIX);
        }

        boolean isCoveredBy(RecordSubject end) {
            return topic.equals(end.topic) && partition == end.partition && key.startsWith(end.kind() + "/");
        }

        private String kind() {
            return key.substring(key.lastIndexOf('/') + 1);
        }
    }

    @Override
    public List<ConsumerRecord<byte[], byte[]>> transform(List<ConsumerRecord<byte[], byte[]>> read) {
        List<ConsumerRecord<byte[], byte[]>> delivered = new ArrayList<>();
        for (ConsumerRecord<byte[], byte[]> record : read) {
            var subject = RecordSubject.of(record);
            if (subject.isSyncMarker()) {
                deliverPending(delivered, 1, each -> each.isCoveredBy(subject));
                deliver(subject, record, delivered);
                releaseDeferred(subject);
            } else {
                pending.computeIfAbsent(subject, _ -> new ArrayDeque<>()).add(record);
            }
        }
        deliverPending(delivered, 0.7, _ -> true);
        boolean isForAll = isFlushRequested;
        isFlushRequested = false;
        deliverDuplicates(delivered, each -> isForAll || (random.nextInt(20) == 0 && !deferred.contains(each)));
        return delivered;
    }

    @Override
    public boolean isDone() {
        return pending.isEmpty() && duplicates.isEmpty();
    }

    /** Requests delivery of all duplicates in the next round, also without a sync marker. Thread-safe. */
    void requestFlush() {
        isFlushRequested = true;
    }

    /** Returns the number of duplicates that were delivered after the sync marker of their kind. */
    int duplicatesAfterSyncMarker() {
        return afterSync;
    }

    /** Returns the numbers of reordered records and of late duplicates. */
    String counts() {
        return "%d out of order, %d once more late, of these %d after a list".formatted(reordered, delayed, afterSync);
    }

    /**
     * Delivers pending records.
     *
     * @param share probability that the next record of a subject is delivered now
     */
    private void deliverPending(
            List<ConsumerRecord<byte[], byte[]>> into, double share, Predicate<RecordSubject> which) {
        List<RecordSubject> order = new ArrayList<>();
        pending.forEach((subject, words) -> {
            if (which.test(subject)) {
                words.forEach(_ -> order.add(subject));
            }
        });
        Collections.shuffle(order, random);
        for (RecordSubject subject : order) {
            if (random.nextDouble() < share) {
                ConsumerRecord<byte[], byte[]> record =
                        Objects.requireNonNull(pending.get(subject)).remove();
                var place = new TopicPartition(record.topic(), record.partition());
                if (latestOffsets.merge(place, record.offset(), Math::max) > record.offset()) {
                    reordered++;
                }
                deliver(subject, record, into);
            }
        }
        pending.values().removeIf(Deque::isEmpty);
    }

    private void deliver(
            RecordSubject subject, ConsumerRecord<byte[], byte[]> record, List<ConsumerRecord<byte[], byte[]>> into) {
        boolean isLast = record.value() == null; // a tombstone: no record of the object may follow
        if (isLast) {
            into.addAll(duplicates.getOrDefault(subject, List.of()));
            duplicates.remove(subject);
            deferred.remove(subject);
        }
        into.add(record);
        if (isLast || random.nextBoolean()) {
            into.add(record);
        } else {
            duplicates.computeIfAbsent(subject, this::startDuplicates).add(record);
        }
    }

    private List<ConsumerRecord<byte[], byte[]>> startDuplicates(RecordSubject subject) {
        if (!subject.isSyncMarker() && random.nextBoolean()) {
            deferred.add(subject);
        }
        return new ArrayList<>();
    }

    private void releaseDeferred(RecordSubject endOfList) {
        deferred.removeIf(each -> {
            boolean isClosed = each.isCoveredBy(endOfList);
            afterSync += isClosed ? duplicates.getOrDefault(each, List.of()).size() : 0;
            return isClosed;
        });
    }

    private void deliverDuplicates(List<ConsumerRecord<byte[], byte[]>> into, Predicate<RecordSubject> which) {
        duplicates.entrySet().removeIf(each -> {
            boolean isNow = which.test(each.getKey());
            if (isNow) {
                delayed += each.getValue().size();
                into.addAll(each.getValue());
                deferred.remove(each.getKey());
            }
            return isNow;
        });
    }
}
