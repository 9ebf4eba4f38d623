package dev.claimstream.kubernetes.api;

import java.time.Duration;
import java.util.Optional;

/**
 * Next step of a log that wants or holds the lease of a cluster.
 *
 * <p>It depends only on the lease that was read, on the log and on what the log knows from before.
 */
sealed interface LeaseStep {
    /** The lease has no holder, or its holder is gone: acquire it. */
    record Acquire() implements LeaseStep {}

    /** This log holds the lease: renew it. */
    record Renew() implements LeaseStep {}

    /** The holder may still be alive: read the lease again after a pause. */
    record Retry() implements LeaseStep {}

    /** Another log serves the cluster: stop. */
    record Abort(String message) implements LeaseStep {}

    /**
     * A lease as read from the cluster.
     *
     * @param holder id of the log that holds it; empty if there is none
     * @param location location of the holder, for people
     * @param duration time after its last renewal until the lease expires
     * @param logEnd end of the holder's log at that renewal; 0 if unknown
     */
    record LeaseState(String holder, String location, Duration duration, long logEnd) {}

    /**
     * What the log knows from earlier reads.
     *
     * @param isHeld whether this log has held the lease before
     * @param isRenewedByOther whether another holder has renewed it since the first read
     * @param unchangedFor time since its last change, by the local monotonic clock
     */
    record LeaseHistory(boolean isHeld, boolean isRenewedByOther, Duration unchangedFor) {}

    /**
     * Decides the next step.
     *
     * @param logEnd end of the log, read after the lease
     */
    static LeaseStep of(Optional<LeaseState> lease, CandidateLog log, long logEnd, LeaseHistory past) {
        LeaseState observed = lease.orElse(new LeaseState("", "", Duration.ZERO, 0));
        if (observed.holder().isEmpty()) {
            return new Acquire();
        }
        if (observed.holder().equals(log.id())) {
            return past.isHeld() || log.isNew() || logEnd >= observed.logEnd()
                    ? new Renew()
                    : olderCopy(observed, log, logEnd);
        }
        if (past.isHeld() || !log.isNew()) {
            return new Abort(
                    "the cluster is now served by another decision log, %s at %s; the log of %s is outdated. Serve the cluster from the other log, or"
                                    .formatted(observed.holder(), observed.location(), log.location())
                            + " stop the other one and start with an empty log (a new data folder), which takes over the allocations in the cluster");
        }
        if (past.isRenewedByOther()) {
            return new Abort(
                    "the cluster is served by another decision log, %s at %s; two logs could allocate one device to two claims:"
                                    .formatted(observed.holder(), observed.location())
                            + " use the other one, or stop it first");
        }
        return past.unchangedFor().compareTo(observed.duration()) < 0 ? new Retry() : new Acquire();
    }

    /** The log has lost decisions: the devices that they allocated would be free for it. */
    private static LeaseStep olderCopy(LeaseState observed, CandidateLog log, long logEnd) {
        return new Abort(
                "the log of %s is an older copy of the log that serves the cluster: decisions.v1 ends at %d, and has ended at %d;"
                                .formatted(log.location(), logEnd, observed.logEnd())
                        + " its devices could be allocated twice. Restore the newest copy, or start with an empty log (a new data folder, or new"
                        + " topics), which takes over the allocations in the cluster");
    }
}
