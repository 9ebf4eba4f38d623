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
final class Beginning {
    private static final Logger LOG = LoggerFactory.getLogger(Beginning.class);

    /** Attempts to read missing offsets, at intervals of 100 ms. */
    private static final int ASKED_MAX = 100;

    private final KafkaConnection kafka;
    private final CellLog log;

    Beginning(KafkaConnection kafka, CellLog log) {
        this.kafka = kafka;
        this.log = log;
    }

    /**
     * Ensures that every cell has a committed offset. Idempotent, and safe for several processes at once.
     *
     * @return whether there are cells; false if the topic does not exist yet
     * @throws Discontinuity if a cell with earlier inputs has lost its offset, log or changelog
     */
    boolean prepare() {
        try (var offsets = new Offsets(kafka)) {
            var cells = offsets.partitions(Topics.CELLS_IN);
            Map<TopicPartition, Long> known = known(offsets, cells);
            Map<TopicPartition, Long> first =
                    new TreeMap<>((a, b) -> a.toString().compareTo(b.toString()));
            cells.stream()
                    .filter(cell -> !known.containsKey(cell))
                    .forEach(cell -> first.put(cell, first(offsets, cell)));
            known.forEach((log, committed) -> checkEnd(offsets, log, committed));
            known.forEach((cell, committed) -> {
                if (cells.contains(cell) && committed > offsets.begin(cell)) {
                    checkKept(offsets, cell, committed);
                }
            });
            if (cells.size() > 1 && !known.containsKey(Offsets.ROUTER)) {
                first.put(Offsets.ROUTER, firstOfRouter(offsets));
            }
            if (!first.isEmpty()) {
                set(offsets, first);
            }
            return !cells.isEmpty();
        }
    }

    /**
     * Reads the offsets of the group. A broker that was killed may report no offsets until it has loaded them after its restart. So an
     * offset counts as lost only if it is still missing after {@link #ASKED_MAX} attempts.
     */
    private static Map<TopicPartition, Long> known(Offsets offsets, List<TopicPartition> cells) {
        for (int asked = 1; ; asked++) {
            Map<TopicPartition, Long> known = offsets.ofGroup(AllocatorTopology.APPLICATION);
            boolean isWhole =
                    cells.stream().allMatch(cell -> known.containsKey(cell) || !hasWorked(offsets, changelog(cell)));
            if (isWhole || asked == ASKED_MAX) {
                return known;
            }
            Offsets.pause();
        }
    }

    private static TopicPartition changelog(TopicPartition cell) {
        return new TopicPartition(AllocatorTopology.CHANGELOG, cell.partition());
    }

    /**
     * Checks that the log does not end before the committed offset. If the broker has lost records, a consumer only reports that it cannot
     * continue.
     */
    private static void checkEnd(Offsets offsets, TopicPartition log, long committed) {
        if (!offsets.partitions(log.topic()).contains(log)) {
            return;
        }
        long end = offsets.end(log);
        if (end < committed) {
            throw Discontinuity.rebuildable(
                    "%s: the log ends at offset %d, and inputs up to offset %d were applied: records are lost"
                            .formatted(nameOf(log), end, committed - 1));
        }
    }

    private static String nameOf(TopicPartition log) {
        return log.equals(Offsets.ROUTER) ? "the router" : "cell " + log.partition();
    }

    /** Checks that the changelog exists. Kafka Streams would create a missing changelog again, or wait for another member to create it. */
    private void checkKept(Offsets offsets, TopicPartition cell, long committed) {
        if (offsets.partitions(AllocatorTopology.CHANGELOG).contains(changelog(cell))) {
            return;
        }
        long unused = offsets.settledEnd(cell); // includes a rebuild that was just committed
        if (!log.isRebuild(cell, committed)) {
            throw Discontinuity.rebuildable(
                    "cell %d: inputs up to offset %d were applied, and topic %s is gone: the changelog is lost"
                            .formatted(cell.partition(), committed - 1, AllocatorTopology.CHANGELOG));
        }
    }

    private static void set(Offsets offsets, Map<TopicPartition, Long> first) {
        try {
            offsets.set(AllocatorTopology.APPLICATION, first);
            LOG.atInfo().addKeyValue("cells", first.keySet()).log("first start of cells");
        } catch (UnknownMemberIdException | GroupNotEmptyException e) {
            // another process has committed the offsets and runs already
            LOG.atDebug().setCause(e).log("offsets of the first start stand already");
        }
    }

    private static long first(Offsets offsets, TopicPartition cell) {
        long begin = offsets.begin(cell);
        if (hasWorked(offsets, changelog(cell))) {
            throw Discontinuity.rebuildable(
                    "cell %d: group %s has lost its offset in %s, and the cell has a state: set the offset to the earliest (what was applied"
                                    .formatted(cell.partition(), AllocatorTopology.APPLICATION, Topics.CELLS_IN)
                            + " is skipped)");
        }
        if (begin > 0) {
            throw Discontinuity.rebuildable(
                    "cell %d: it has neither state nor offset, and its log begins at offset %d: older inputs are gone"
                            .formatted(cell.partition(), begin));
        }
        if (offsets.end(cell) == 0 && hasWorked(offsets, new TopicPartition(Topics.LEDGER, cell.partition()))) {
            throw Discontinuity.rebuildable(
                    "cell %d: it has neither state nor offset, its log is empty, and its ledger is not"
                            .formatted(cell.partition()));
        }
        return begin;
    }

    private static long firstOfRouter(Offsets offsets) {
        long begin = offsets.begin(Offsets.ROUTER);
        if (begin > 0) {
            throw Discontinuity.rebuildable(
                    "the router: it has no offset, and its log begins at offset %d: older inputs are gone"
                            .formatted(begin));
        }
        return begin;
    }

    private static boolean hasWorked(Offsets offsets, TopicPartition trace) {
        return offsets.partitions(trace.topic()).contains(trace) && offsets.end(trace) > 0;
    }
}
