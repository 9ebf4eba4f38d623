package dev.claimstream.audit;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.function.Predicate;
import org.apache.avro.Schema;

/**
 * A log that is read partition by partition: the topics of a broker, or an archive.
 *
 * <p>Every method throws {@link AuditException} if the log cannot be read. Not safe for several threads.
 */
public interface AuditLog extends AutoCloseable {
    /** The partitions of a topic; none if the log does not have the topic. */
    SortedSet<Integer> partitions(String topic);

    /** The first offset that is still available. Earlier records are deleted by retention. */
    long begin(String topic, int partition);

    /** The offset after the last committed record. */
    long end(String topic, int partition);

    /** The offset of the first record of this time or later; the end if there is none. */
    long offsetAt(String topic, int partition, Instant time);

    /**
     * Passes committed records to a consumer, in the order of their offsets.
     *
     * @param from first offset
     * @param to offset after the last one
     * @param action returns whether to continue
     */
    void forEach(String topic, int partition, long from, long to, Predicate<LogRecord> action);

    /**
     * The offsets of a range whose records are lost: retention has deleted them, or they were deleted before they were archived. {@link
     * #forEach} passes over them in silence.
     *
     * @param from first offset
     * @param to offset after the last one
     * @return in the order of their offsets
     */
    default List<OffsetGap> gaps(String topic, int partition, long from, long to) {
        long begin = Math.min(to, begin(topic, partition));
        return from < begin ? List.of(new OffsetGap(from, begin)) : List.of();
    }

    /** The schema with which values of this id were written; empty if no schema has the id. */
    Optional<Schema> schema(int id);

    /** The newest archived state of a cell at this time or earlier; empty if there is none. Only archives have states. */
    default Optional<CellSnapshot> snapshot(int cell, Instant time) {
        return Optional.empty();
    }

    /** Where the log is, for people: the bootstrap servers or the folder. */
    String location();

    @Override
    void close();
}
