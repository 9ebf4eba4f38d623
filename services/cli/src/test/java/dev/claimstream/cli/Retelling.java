package dev.claimstream.cli;

import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * Tells what it hears of objects twice, and in another order. The words about one object keep their order when they are told first; the
 * second time comes at once, or late, after others about the same object. Nothing is told for the first time across the end of a list.
 */
final class Retelling implements Relay.Manner {
    private static final List<String> FENCES = List.of("Listed/", "Stale/", "Probe/");

    private final Random random;
    private final Map<String, Deque<ConsumerRecord<byte[], byte[]>>> held = new LinkedHashMap<>();
    private final Map<String, List<ConsumerRecord<byte[], byte[]>>> echoes = new LinkedHashMap<>();
    /** The offset of what was heard last of all that was told, by topic. */
    private final Map<String, Long> latest = new HashMap<>();

    private int moved;
    private int late;

    Retelling(long seed) {
        this.random = new Random(seed);
    }

    @Override
    public List<ConsumerRecord<byte[], byte[]>> told(List<ConsumerRecord<byte[], byte[]>> heard) {
        List<ConsumerRecord<byte[], byte[]>> told = new ArrayList<>();
        for (ConsumerRecord<byte[], byte[]> record : heard) {
            if (isFence(record)) {
                tellHeld(told, 1);
                told.addAll(List.of(record, record));
            } else {
                held.computeIfAbsent(subject(record), _ -> new ArrayDeque<>()).add(record);
            }
        }
        tellHeld(told, 0.7);
        tellEchoes(told);
        return told;
    }

    @Override
    public boolean isDone() {
        return held.isEmpty() && echoes.isEmpty();
    }

    /** How many were told after others that were heard later, and how many came once more late. */
    String counts() {
        return "%d out of order, %d once more late".formatted(moved, late);
    }

    private static boolean isFence(ConsumerRecord<byte[], byte[]> record) {
        return FENCES.stream().anyMatch(text(record)::startsWith);
    }

    private static String subject(ConsumerRecord<byte[], byte[]> record) {
        return record.topic() + "/" + text(record);
    }

    private static String text(ConsumerRecord<byte[], byte[]> record) {
        return new String(record.key(), StandardCharsets.UTF_8);
    }

    /** @param share how likely the next word about an object is told now */
    private void tellHeld(List<ConsumerRecord<byte[], byte[]>> into, double share) {
        List<String> order = new ArrayList<>();
        held.forEach((subject, words) -> words.forEach(_ -> order.add(subject)));
        Collections.shuffle(order, random);
        for (String subject : order) {
            if (random.nextDouble() < share) {
                ConsumerRecord<byte[], byte[]> record =
                        Objects.requireNonNull(held.get(subject)).remove();
                if (latest.merge(record.topic(), record.offset(), Math::max) > record.offset()) {
                    moved++;
                }
                tell(subject, record, into);
            }
        }
        held.values().removeIf(Deque::isEmpty);
    }

    private void tell(
            String subject, ConsumerRecord<byte[], byte[]> record, List<ConsumerRecord<byte[], byte[]>> into) {
        boolean isLast = record.value() == null; // whoever reads the topic later finds nothing of it after this
        if (isLast) {
            into.addAll(echoes.getOrDefault(subject, List.of()));
            echoes.remove(subject);
        }
        into.add(record);
        if (isLast || random.nextBoolean()) {
            into.add(record);
        } else {
            echoes.computeIfAbsent(subject, _ -> new ArrayList<>()).add(record);
        }
    }

    private void tellEchoes(List<ConsumerRecord<byte[], byte[]>> into) {
        for (Iterator<List<ConsumerRecord<byte[], byte[]>>> each =
                        echoes.values().iterator();
                each.hasNext(); ) {
            if (random.nextInt(20) == 0) {
                List<ConsumerRecord<byte[], byte[]>> words = each.next();
                late += words.size();
                into.addAll(words);
                each.remove();
            } else {
                each.next();
            }
        }
    }
}
