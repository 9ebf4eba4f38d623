package dev.claimstream.audit.streams;

import dev.claimstream.allocation.cell.CellIdentity;
import dev.claimstream.audit.AuditException;
import dev.claimstream.audit.AuditLog;
import dev.claimstream.audit.LogVerifier;
import dev.claimstream.audit.LogVerifier.TimeRange;
import dev.claimstream.dra.Selectors;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;

/**
 * Runs cells and router over their recorded inputs, without Kafka, and compares every event with the ledger.
 *
 * <p>Equality is claimed for one engine only: another one may decide otherwise.
 */
public final class LogReplay {
    private final AuditLog log;
    private final Selectors selectors;
    private final TimeRange range;

    /** A replay of the whole log. */
    public LogReplay(AuditLog log, Selectors selectors) {
        this(log, selectors, TimeRange.ALL);
    }

    /**
     * A replay of a part of the log.
     *
     * @param range begins at the last known state at or before its beginning: the first input, a rebuild, or a state snapshot of an archive
     */
    public LogReplay(AuditLog log, Selectors selectors, TimeRange range) {
        this.log = log;
        this.selectors = selectors;
        this.range = range;
    }

    /**
     * The replay of one ledger.
     *
     * @param cell number of the cell; the router has the number after the last cell
     * @param topic topic of the inputs
     * @param from offset of the first input
     * @param inputs number of replayed inputs
     * @param events number of events that were equal
     * @param otherBytes number of these whose bytes differ, because a map has another order; all others have the recorded hash
     * @param snapshots number of state hashes that were equal
     * @param engines fingerprints of the engines that wrote the events
     * @param head hash of the last equal event, in hexadecimal digits; empty for none
     */
    public record CellSummary(
            int cell,
            String topic,
            long from,
            long inputs,
            long events,
            long otherBytes,
            long snapshots,
            SortedSet<String> engines,
            String head,
            Optional<Divergence> divergence) {
        /** Returns the ledger as text: {@code cell 0}, or {@code router}. */
        public String name() {
            return LogReplay.name(topic, cell);
        }
    }

    static String name(String topic, int cell) {
        return topic.equals(LogVerifier.ROUTER_INPUTS) ? "router" : "cell " + cell;
    }

    /**
     * The result of a replay. It ends at the first divergence.
     *
     * @param cells the cells, and after them the router if there are several cells
     * @param notReplayed one line per ledger that is not replayed, with the reason
     */
    public record ReplayReport(List<CellSummary> cells, List<String> notReplayed) {
        public ReplayReport {
            cells = List.copyOf(cells);
            notReplayed = List.copyOf(notReplayed);
        }

        /** The first divergence; empty if ledger and replay are equal. */
        public Optional<Divergence> divergence() {
            return cells.stream().flatMap(each -> each.divergence().stream()).findFirst();
        }

        /** Number of replayed inputs of all cells and of the router. */
        public long inputs() {
            return cells.stream().mapToLong(CellSummary::inputs).sum();
        }
    }

    /**
     * Replays all cells and the router, up to the last event of each ledger.
     *
     * @throws AuditException if a record cannot be read, or the inputs of a cell from the beginning or from a rebuild are not available
     */
    public ReplayReport run() {
        List<CellSummary> summaries = new ArrayList<>();
        Optional<String> obstacle =
                RouterReplay.obstacle(log, log.partitions(LogVerifier.INPUTS).size());
        for (LedgerReplay replay : replays(log, selectors, range, obstacle)) {
            CellSummary summary = replay.run();
            summaries.add(summary);
            if (summary.divergence().isPresent()) {
                break;
            }
        }
        return new ReplayReport(summaries, obstacle.stream().toList());
    }

    /**
     * A replay per cell, and one of the router of several cells.
     *
     * @param obstacle why the router is not replayed; empty if it can be
     */
    static List<LedgerReplay> replays(AuditLog log, Selectors selectors, TimeRange range, Optional<String> obstacle) {
        List<LedgerReplay> replays = new ArrayList<>();
        SortedSet<Integer> cells = log.partitions(LogVerifier.INPUTS);
        cells.forEach(cell -> replays.add(new CellReplay(log, selectors, new CellIdentity(cell, cells.size()), range)));
        if (cells.size() > 1 && obstacle.isEmpty()) {
            replays.add(new RouterReplay(log, cells.size(), range));
        }
        return replays;
    }
}
