package dev.claimstream.allocator.streams;

import dev.claimstream.kafka.KafkaConnection;
import dev.claimstream.kafka.Topics;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.GroupNotEmptyException;
import org.apache.kafka.common.errors.UnknownMemberIdException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Commits the initial offsets of the cells and checks that no offset, log or changelog is lost.
 *
 * <p>Only the first start sets an initial offset. Later, a missing offset is a loss. No consumer resets its offset automatically.
 */
final class OffsetInitializer {
    private static final Logger LOG = LoggerFactory.getLogger(OffsetInitializer.class);

    /** Attempts to read missing offsets, at intervals of 100 ms. */
    private static final int ATTEMPTS_MAX = 100;

    private final KafkaConnection kafka;
    private final CellLog log;

    OffsetInitializer(KafkaConnection kafka, CellLog log) {
        this.kafka = kafka;
        this.log = log;
    }

    /**
     * Ensures that every cell has a committed offset. Idempotent, and safe for several processes at once.
     *
     * @return whether there are cells; false if the topic does not exist yet
     * @throws LogContinuityException if a cell with earlier inputs has lost its offset, log or changelog
     */
    boolean prepare() {
        try (var offsets = new KafkaAdmin(kafka)) {
            var cells = offsets.partitions(Topics.CELLS_IN);
            Map<TopicPartition, Long> committedOffsets = committedOffsets(offsets, cells);
            Map<TopicPartition, Long> initial =
                    new TreeMap<>((a, b) -> a.toString().compareTo(b.toString()));
            cells.stream()
                    .filter(cell -> !committedOffsets.containsKey(cell))
                    .forEach(cell -> initial.put(cell, initialOffset(offsets, cell)));
            committedOffsets.forEach((log, committed) -> checkEnd(offsets, log, committed));
            committedOffsets.forEach((cell, committed) -> {
                if (cells.contains(cell) && committed > offsets.begin(cell)) {
                    checkChangelog(offsets, cell, committed);
                }
            });
            if (cells.size() > 1 && !committedOffsets.containsKey(KafkaAdmin.ROUTER)) {
                initial.put(KafkaAdmin.ROUTER, initialRouterOffset(offsets));
            }
            if (!initial.isEmpty()) {
                commitInitial(offsets, initial);
            }
            return !cells.isEmpty();
        }
    }

    /**
     * Reads the offsets of the group. A broker that was killed may report no offsets until it has loaded them after its restart. So an
     * offset counts as lost only if it is still missing after {@link #ATTEMPTS_MAX} attempts.
     */
    private static Map<TopicPartition, Long> committedOffsets(KafkaAdmin offsets, List<TopicPartition> cells) {
        for (int attempt = 1; ; attempt++) {
            Map<TopicPartition, Long> committed = offsets.committed(AllocatorTopology.APPLICATION);
            boolean isWhole = cells.stream()
                    .allMatch(cell -> committed.containsKey(cell) || !hasRecords(offsets, changelog(cell)));
            if (isWhole || attempt == ATTEMPTS_MAX) {
                return committed;
            }
            KafkaAdmin.pause();
        }
    }

    private static TopicPartition changelog(TopicPartition cell) {
        return new TopicPartition(AllocatorTopology.CHANGELOG, cell.partition());
    }

    /**
     * Checks that the log does not end before the committed offset. If the broker has lost records, a consumer only reports that it cannot
     * continue.
     */
    private static void checkEnd(KafkaAdmin offsets, TopicPartition log, long committed) {
        if (!offsets.partitions(log.topic()).contains(log)) {
            return;
        }
        long end = offsets.end(log);
        if (end < committed) {
            throw LogContinuityException.rebuildable(
                    "%s: the log ends at offset %d, and inputs up to offset %d were applied: records are lost"
                            .formatted(nameOf(log), end, committed - 1));
        }
    }

    private static String nameOf(TopicPartition log) {
        return log.equals(KafkaAdmin.ROUTER) ? "the router" : "cell " + log.partition();
    }

    /** Checks that the changelog exists. Kafka Streams would create a missing changelog again, or wait for another member to create it. */
    private void checkChangelog(KafkaAdmin offsets, TopicPartition cell, long committed) {
        if (offsets.partitions(AllocatorTopology.CHANGELOG).contains(changelog(cell))) {
            return;
        }
        long unused = offsets.settledEnd(cell); // includes a rebuild that was just committed
        if (!log.isRebuild(cell, committed)) {
            throw LogContinuityException.rebuildable(
                    "cell %d: inputs up to offset %d were applied, and topic %s does not exist: the changelog is lost"
                            .formatted(cell.partition(), committed - 1, AllocatorTopology.CHANGELOG));
        }
    }

    private static void commitInitial(KafkaAdmin offsets, Map<TopicPartition, Long> initial) {
        try {
            offsets.set(AllocatorTopology.APPLICATION, initial);
            LOG.atInfo().addKeyValue("cells", initial.keySet()).log("first start of cells");
        } catch (UnknownMemberIdException | GroupNotEmptyException e) {
            // another process has committed the offsets and runs already
            LOG.atDebug().setCause(e).log("offsets of the first start exist already");
        }
    }

    private static long initialOffset(KafkaAdmin offsets, TopicPartition cell) {
        long begin = offsets.begin(cell);
        if (hasRecords(offsets, changelog(cell))) {
            throw LogContinuityException.rebuildable(
                    "cell %d: group %s has lost its offset in %s, and the cell has a state: set the offset to the earliest (what was applied"
                                    .formatted(cell.partition(), AllocatorTopology.APPLICATION, Topics.CELLS_IN)
                            + " is skipped)");
        }
        if (begin > 0) {
            throw LogContinuityException.rebuildable(
                    "cell %d: it has neither state nor offset, and its log begins at offset %d: older inputs are lost"
                            .formatted(cell.partition(), begin));
        }
        if (offsets.end(cell) == 0 && hasRecords(offsets, new TopicPartition(Topics.LEDGER, cell.partition()))) {
            throw LogContinuityException.rebuildable(
                    "cell %d: it has neither state nor offset, its log is empty, and its ledger is not"
                            .formatted(cell.partition()));
        }
        return begin;
    }

    private static long initialRouterOffset(KafkaAdmin offsets) {
        long begin = offsets.begin(KafkaAdmin.ROUTER);
        if (begin > 0) {
            throw LogContinuityException.rebuildable(
                    "the router: it has no offset, and its log begins at offset %d: older inputs are lost"
                            .formatted(begin));
        }
        return begin;
    }

    private static boolean hasRecords(KafkaAdmin offsets, TopicPartition trace) {
        return offsets.partitions(trace.topic()).contains(trace) && offsets.end(trace) > 0;
    }
}
