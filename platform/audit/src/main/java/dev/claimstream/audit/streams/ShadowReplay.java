package dev.claimstream.audit.streams;

import dev.claimstream.allocation.cell.CellIdentity;
import dev.claimstream.audit.AuditException;
import dev.claimstream.audit.AuditLog;
import dev.claimstream.audit.LogVerifier;
import dev.claimstream.audit.LogVerifier.TimeRange;
import dev.claimstream.dra.Selectors;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;

/**
 * Follows a log that grows, and decides its inputs again.
 *
 * <p>A divergence is found as soon as the ledger has the event. It reads only. Inputs wait until the ledger has an event of them or of a later input. Not safe for several threads.
 */
public final class ShadowReplay {
    private final List<CellReplay> cells = new ArrayList<>();

    /**
     * Prepares the cells.
     *
     * @param since begins at the newest known state at this time or earlier; empty for the earliest one
     * @throws AuditException if a record cannot be read, or no state of a cell is known
     */
    public ShadowReplay(AuditLog log, Selectors selectors, Optional<Instant> since) {
        SortedSet<Integer> all = log.partitions(LogVerifier.INPUTS);
        if (all.isEmpty()) {
            throw new AuditException("%s has no topic %s yet: start the allocator, or name the Kafka of Claimstream"
                    .formatted(log.location(), LogVerifier.INPUTS));
        }
        for (int cell : all) {
            var replay = new CellReplay(
                    log, selectors, new CellIdentity(cell, all.size()), new TimeRange(since, Optional.empty()));
            replay.begin();
            cells.add(replay);
        }
    }

    /**
     * Replays what the log has got since the last call. After a divergence, its cell is not replayed any more.
     *
     * @return the first divergence of each cell that has one
     * @throws AuditException if a record cannot be read
     */
    public List<Divergence> advance() {
        List<Divergence> divergences = new ArrayList<>();
        cells.forEach(each -> {
            each.advance();
            each.summary().divergence().ifPresent(divergences::add);
        });
        return divergences;
    }

    /** Number of replayed inputs. */
    public long inputs() {
        return cells.stream().mapToLong(each -> each.summary().inputs()).sum();
    }
}
