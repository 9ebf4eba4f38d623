package dev.claimstream.writer.streams;

import dev.claimstream.kafka.CommitThrottle;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.function.LongSupplier;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RebalanceInProgressException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Commits the offsets of processed decisions, at most every half second. Only the thread of its consumer uses it. */
public final class OffsetCommitter {
    private static final Logger LOG = LoggerFactory.getLogger(OffsetCommitter.class);
    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    private final Consumer<byte[], byte[]> consumer;
    private final LongSupplier version;
    private final CommitThrottle throttle = CommitThrottle.ofHalfSeconds();
    private Map<TopicPartition, Long> committed = Map.of();

    /** @param version version of the store that is stored with the offsets; see {@link StoredVersion} */
    public OffsetCommitter(Consumer<byte[], byte[]> consumer, LongSupplier version) {
        this.consumer = consumer;
        this.version = version;
    }

    /** Returns whether these offsets were committed last. */
    public boolean isCommitted(Map<TopicPartition, Long> offsets) {
        return offsets.equals(committed);
    }

    /** Commits changed offsets asynchronously, unless the last commit is too recent. */
    public void commit(Map<TopicPartition, Long> offsets) {
        if (!isCommitted(offsets) && throttle.tryAcquire()) {
            consumer.commitAsync(withVersion(offsets), null);
            committed = offsets;
        }
    }

    /**
     * Commits the last offsets and waits for the response. If another writer has the partitions already, it repeats the
     * decisions, which is idempotent.
     */
    public void commitLast(Map<TopicPartition, Long> offsets) {
        if (!isCommitted(offsets)) {
            try {
                consumer.commitSync(withVersion(offsets), TIMEOUT);
            } catch (CommitFailedException | RebalanceInProgressException e) {
                LOG.atDebug().addKeyValue("why", e.getMessage()).log("another writer continues");
            }
            committed = offsets;
        }
    }

    private Map<TopicPartition, OffsetAndMetadata> withVersion(Map<TopicPartition, Long> offsets) {
        String text = StoredVersion.text(version.getAsLong());
        Map<TopicPartition, OffsetAndMetadata> result = new HashMap<>();
        offsets.forEach((partition, offset) -> result.put(partition, new OffsetAndMetadata(offset, text)));
        return result;
    }
}
