package dev.claimstream.cli;

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
final class Retelling implements Relay.Manner {
    private final Random random;
    private final Map<Subject, Deque<ConsumerRecord<byte[], byte[]>>> held = new LinkedHashMap<>();
    private final Map<Subject, List<ConsumerRecord<byte[], byte[]>>> echoes = new LinkedHashMap<>();
    /** Subjects whose duplicates are delivered after the next sync marker. */
    private final Set<Subject> waiting = new HashSet<>();
    /** The highest delivered offset of each partition. */
    private final Map<TopicPartition, Long> latest = new HashMap<>();

    private int moved;
    private int late;
    private int afterList;
    private volatile boolean isHurried;

    Retelling(long seed) {
        this.random = new Random(seed);
    }

    /**
     * The object or sync marker of a record.
     *
     * @param key of the record: {@code kind/place/name} of an object, or {@code Listed/source/kind} of a sync marker
     */
    private record Subject(String topic, int partition, String key) {
        private static final String LISTED = "Listed/";

        static Subject of(ConsumerRecord<byte[], byte[]> record) {
            return new Subject(record.topic(), record.partition(), new String(record.key(), StandardCharsets.UTF_8));
        }

        boolean isEndOfList() {
            return key.startsWith(LISTED);
        }

        boolean isClosedBy(Subject end) {
            return topic.equals(end.topic) && partition == end.partition && key.startsWith(end.kind() + "/");
        }

        private String kind() {
            return key.substring(key.lastIndexOf('/') + 1);
        }
    }

    @Override
    public List<ConsumerRecord<byte[], byte[]>> told(List<ConsumerRecord<byte[], byte[]>> heard) {
        List<ConsumerRecord<byte[], byte[]>> told = new ArrayList<>();
        for (ConsumerRecord<byte[], byte[]> record : heard) {
            var subject = Subject.of(record);
            if (subject.isEndOfList()) {
                tellHeld(told, 1, each -> each.isClosedBy(subject));
                tell(subject, record, told);
                release(subject);
            } else {
                held.computeIfAbsent(subject, _ -> new ArrayDeque<>()).add(record);
            }
        }
        tellHeld(told, 0.7, _ -> true);
        boolean isForAll = isHurried;
        isHurried = false;
        tellEchoes(told, each -> isForAll || (random.nextInt(20) == 0 && !waiting.contains(each)));
        return told;
    }

    @Override
    public boolean isDone() {
        return held.isEmpty() && echoes.isEmpty();
    }

    /** Requests delivery of all duplicates in the next round, also without a sync marker. Thread-safe. */
    void hurry() {
        isHurried = true;
    }

    /** Returns the numbers of reordered records and of late duplicates. */
    String counts() {
        return "%d out of order, %d once more late, of these %d after a list".formatted(moved, late, afterList);
    }

    /**
     * Delivers pending records.
     *
     * @param share probability that the next record of a subject is delivered now
     */
    private void tellHeld(List<ConsumerRecord<byte[], byte[]>> into, double share, Predicate<Subject> which) {
        List<Subject> order = new ArrayList<>();
        held.forEach((subject, words) -> {
            if (which.test(subject)) {
                words.forEach(_ -> order.add(subject));
            }
        });
        Collections.shuffle(order, random);
        for (Subject subject : order) {
            if (random.nextDouble() < share) {
                ConsumerRecord<byte[], byte[]> record =
                        Objects.requireNonNull(held.get(subject)).remove();
                var place = new TopicPartition(record.topic(), record.partition());
                if (latest.merge(place, record.offset(), Math::max) > record.offset()) {
                    moved++;
                }
                tell(subject, record, into);
            }
        }
        held.values().removeIf(Deque::isEmpty);
    }

    private void tell(
            Subject subject, ConsumerRecord<byte[], byte[]> record, List<ConsumerRecord<byte[], byte[]>> into) {
        boolean isLast = record.value() == null; // a tombstone: no record of the object may follow
        if (isLast) {
            into.addAll(echoes.getOrDefault(subject, List.of()));
            echoes.remove(subject);
            waiting.remove(subject);
        }
        into.add(record);
        if (isLast || random.nextBoolean()) {
            into.add(record);
        } else {
            echoes.computeIfAbsent(subject, this::noEchoes).add(record);
        }
    }

    private List<ConsumerRecord<byte[], byte[]>> noEchoes(Subject subject) {
        if (!subject.isEndOfList() && random.nextBoolean()) {
            waiting.add(subject);
        }
        return new ArrayList<>();
    }

    private void release(Subject endOfList) {
        waiting.removeIf(each -> {
            boolean isClosed = each.isClosedBy(endOfList);
            afterList += isClosed ? echoes.getOrDefault(each, List.of()).size() : 0;
            return isClosed;
        });
    }

    private void tellEchoes(List<ConsumerRecord<byte[], byte[]>> into, Predicate<Subject> which) {
        echoes.entrySet().removeIf(each -> {
            boolean isNow = which.test(each.getKey());
            if (isNow) {
                late += each.getValue().size();
                into.addAll(each.getValue());
                waiting.remove(each.getKey());
            }
            return isNow;
        });
    }
}
