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

/** Tracks when a consumer has read everything that was in its partitions at assignment. Not thread-safe. */
public final class CatchUp {
    private static final Logger LOG = LoggerFactory.getLogger(CatchUp.class);
    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    private final Set<TopicPartition> partitionsWithoutEnd = new HashSet<>();
    private final Map<TopicPartition, Long> ends = new HashMap<>();

    /**
     * Adds assigned partitions.
     *
     * <p>Requests their end offsets at once: after the first fetch, a request would wait for the open fetch.
     */
    public void add(Collection<TopicPartition> partitions, Consumer<?, ?> consumer) {
        partitionsWithoutEnd.addAll(partitions);
        try {
            fetchEnds(consumer);
        } catch (TimeoutException e) {
            LOG.atDebug().addKeyValue("why", e.getMessage()).log("end offsets unknown; retrying");
        }
    }

    /** Removes revoked partitions. */
    public void remove(Collection<TopicPartition> partitions) {
        partitionsWithoutEnd.removeAll(partitions);
        partitions.forEach(ends::remove);
    }

    /** Whether everything is read. */
    public boolean isComplete() {
        return partitionsWithoutEnd.isEmpty() && ends.isEmpty();
    }

    /** Compares the positions of the consumer with the end offsets. */
    public void update(Consumer<?, ?> consumer) {
        fetchEnds(consumer);
        ends.entrySet().removeIf(end -> consumer.position(end.getKey(), TIMEOUT) >= end.getValue());
    }

    private void fetchEnds(Consumer<?, ?> consumer) {
        if (!partitionsWithoutEnd.isEmpty()) {
            ends.putAll(consumer.endOffsets(partitionsWithoutEnd, TIMEOUT));
            partitionsWithoutEnd.clear();
        }
    }
}
