package dev.claimstream.writer.streams;

import java.util.Collection;
import java.util.List;
import java.util.Optional;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.common.TopicPartition;

/**
 * The decisions that were in the partitions of the writer at their assignment. They wait until all of them are read, so
 * that only the latest decision of each claim is committed. Not thread-safe.
 *
 * @param <D> a decision with its position
 */
public final class DecisionBacklog<D> {
    private final LatestDecisions<D> latest = new LatestDecisions<>();
    private final CatchUp catchUp = new CatchUp();

    /** Adds assigned partitions. */
    public void add(Collection<TopicPartition> partitions, Consumer<?, ?> consumer) {
        catchUp.add(partitions, consumer);
    }

    /** Removes revoked partitions. */
    public void remove(Collection<TopicPartition> partitions) {
        catchUp.remove(partitions);
    }

    /** Whether every decision of the backlog is read, so that later decisions need not wait. */
    public boolean isComplete() {
        return catchUp.isComplete();
    }

    /**
     * Adds a decision of the backlog.
     *
     * @return the earlier decision of the claim, which is superseded by it
     */
    public Optional<D> add(String claim, D decision) {
        return latest.add(claim, decision);
    }

    /** Returns the decisions to commit once the backlog is complete, and forgets them; before, none. */
    public Collection<D> release(Consumer<?, ?> consumer) {
        if (isComplete()) {
            return List.of();
        }
        catchUp.update(consumer);
        return isComplete() ? latest.drain() : List.of();
    }
}
