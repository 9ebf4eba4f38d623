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
 * Tells what it hears twice, and in another order. The words about one object keep their order when they are told first; the second time
 * comes at once, or late, after others about the same object, of some objects only after the next list. The end of a list closes what came
 * before it of its kind on its partition: none of that is told for the first time later. It comes twice as well.
 */
final class Retelling implements Relay.Manner {
    private final Random random;
    private final Map<Subject, Deque<ConsumerRecord<byte[], byte[]>>> held = new LinkedHashMap<>();
    private final Map<Subject, List<ConsumerRecord<byte[], byte[]>>> echoes = new LinkedHashMap<>();
    /** Of these, echoes come after the next list. */
    private final Set<Subject> waiting = new HashSet<>();
    /** The offset of what was heard last of all that was told. */
    private final Map<TopicPartition, Long> latest = new HashMap<>();

    private int moved;
    private int late;
    private int afterList;
    private volatile boolean isHurried;

    Retelling(long seed) {
        this.random = new Random(seed);
    }

    /**
     * What a record is about.
     *
     * @param key of the record: {@code kind/place/name} of an object, or {@code Listed/source/kind} of the end of a list
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

    /** What waits to be told once more comes now, also without a list; any thread may ask. */
    void hurry() {
        isHurried = true;
    }

    /** How many were told after others that were heard later, and how many came once more late. */
    String counts() {
        return "%d out of order, %d once more late, of these %d after a list".formatted(moved, late, afterList);
    }

    /** @param share how likely the next word about an object is told now */
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
        boolean isLast = record.value() == null; // whoever reads the topic later finds nothing of it after this
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
