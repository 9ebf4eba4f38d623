package dev.claimstream.audit.streams;

import dev.claimstream.audit.AuditException;
import dev.claimstream.audit.AuditLog;
import dev.claimstream.audit.LogVerifier;
import dev.claimstream.audit.LogVerifier.TimeRange;
import dev.claimstream.dra.Selectors;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Follows a log that grows, and decides its inputs again.
 *
 * <p>A divergence is found as soon as the ledger has the event. It reads only. Inputs wait until the ledger has an event of them or of a later input. Not safe for several threads.
 */
public final class ShadowReplay {
    private final List<LedgerReplay> replays;
    private final Optional<String> notReplayed;

    /**
     * Prepares the cells, and the router of several cells if its log is complete.
     *
     * @param since begins at the newest known state at this time or earlier; empty for the earliest one
     * @throws AuditException if a record cannot be read, or no state of a cell is known
     */
    public ShadowReplay(AuditLog log, Selectors selectors, Optional<Instant> since) {
        if (log.partitions(LogVerifier.INPUTS).isEmpty()) {
            throw new AuditException("%s has no topic %s yet: start the allocator, or name the Kafka of Claimstream"
                    .formatted(log.location(), LogVerifier.INPUTS));
        }
        notReplayed =
                RouterReplay.obstacle(log, log.partitions(LogVerifier.INPUTS).size());
        replays = LogReplay.replays(log, selectors, new TimeRange(since, Optional.empty()), notReplayed);
        replays.forEach(LedgerReplay::begin);
    }

    /** Returns why the router is not replayed; empty if it is replayed, or if there is no router. */
    public Optional<String> notReplayed() {
        return notReplayed;
    }

    /**
     * Replays the records since the last call. A ledger with a divergence is not replayed any further.
     *
     * @return the first divergence of each cell, and of the router, that has one
     * @throws AuditException if a record cannot be read
     */
    public List<Divergence> advance() {
        List<Divergence> divergences = new ArrayList<>();
        replays.forEach(each -> {
            each.advance();
            each.summary().divergence().ifPresent(divergences::add);
        });
        return divergences;
    }

    /** Number of replayed inputs. */
    public long inputs() {
        return replays.stream().mapToLong(each -> each.summary().inputs()).sum();
    }
}
