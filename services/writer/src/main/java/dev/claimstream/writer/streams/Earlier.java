package dev.claimstream.writer.streams;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What partitions held when this process got them, until it is read. */
public final class Earlier {
    private static final Logger LOG = LoggerFactory.getLogger(Earlier.class);
    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    private final Set<TopicPartition> endsWanted = new HashSet<>();
    private final Map<TopicPartition, Long> ends = new HashMap<>();

    /** This process gets them. Asks for their ends at once: once they are read, a request waits for the open fetch. */
    public void add(Collection<TopicPartition> partitions, Consumer<?, ?> consumer) {
        endsWanted.addAll(partitions);
        try {
            findEnds(consumer);
        } catch (TimeoutException e) {
            LOG.atDebug().addKeyValue("why", e.getMessage()).log("no ends of the partitions yet: asks again later");
        }
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
        findEnds(consumer);
        ends.entrySet().removeIf(end -> consumer.position(end.getKey(), TIMEOUT) >= end.getValue());
    }

    private void findEnds(Consumer<?, ?> consumer) {
        if (!endsWanted.isEmpty()) {
            ends.putAll(consumer.endOffsets(endsWanted, TIMEOUT));
            endsWanted.clear();
        }
    }
}
