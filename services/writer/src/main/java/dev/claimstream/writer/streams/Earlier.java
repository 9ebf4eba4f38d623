package dev.claimstream.writer.streams;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.common.TopicPartition;

/** What partitions held when this process got them, until it is read. */
public final class Earlier {
    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    private final Set<TopicPartition> endsWanted = new HashSet<>();
    private final Map<TopicPartition, Long> ends = new HashMap<>();

    /** This process gets them. */
    public void add(Collection<TopicPartition> partitions) {
        endsWanted.addAll(partitions);
    }

    /** Another process has them from here on. */
    public void remove(Collection<TopicPartition> partitions) {
        endsWanted.removeAll(partitions);
        partitions.forEach(ends::remove);
    }

    /** Whether it is. */
    public boolean isRead() {
        return endsWanted.isEmpty() && ends.isEmpty();
    }

    /** Looks how far it is read. */
    public void look(Consumer<?, ?> consumer) {
        if (!endsWanted.isEmpty()) {
            ends.putAll(consumer.endOffsets(endsWanted, TIMEOUT));
            endsWanted.clear();
        }
        ends.entrySet().removeIf(end -> consumer.position(end.getKey(), TIMEOUT) >= end.getValue());
    }
}
