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
    record Take() implements LeaseStep {}

    /** This log holds the lease: renew it. */
    record Renew() implements LeaseStep {}

    /** The holder may still be alive: read the lease again after a pause. */
    record Look() implements LeaseStep {}

    /** Another log serves the cluster: stop. */
    record GiveUp(String why) implements LeaseStep {}

    /**
     * A lease as read from the cluster.
     *
     * @param holder id of the log that holds it; empty if there is none
     * @param where location of the holder, for people
     * @param lasts time after its last renewal until the lease expires
     */
    record Seen(String holder, String where, Duration lasts) {}

    /**
     * What the log knows from earlier reads.
     *
     * @param isHeld whether this log has held the lease before
     * @param isRenewed whether another holder has renewed it since the first read
     * @param unchanged time since its last change, by the local monotonic clock
     */
    record Past(boolean isHeld, boolean isRenewed, Duration unchanged) {}

    /** Decides the next step. */
    static LeaseStep of(Optional<Seen> lease, ServingLog log, Past past) {
        Seen seen = lease.orElse(new Seen("", "", Duration.ZERO));
        if (seen.holder().isEmpty()) {
            return new Take();
        }
        if (seen.holder().equals(log.id())) {
            return new Renew();
        }
        if (past.isHeld() || !log.isNew()) {
            return new GiveUp(
                    "the cluster is served by another log of decisions since, %s at %s: what %s holds is of before. Serve it from there, or"
                                    .formatted(seen.holder(), seen.where(), log.where())
                            + " stop that one and start with an empty log (a new data folder), which takes over what the cluster holds");
        }
        if (past.isRenewed()) {
            return new GiveUp(
                    "the cluster is served by another log of decisions, %s at %s, and two could give one device to two claims:"
                                    .formatted(seen.holder(), seen.where())
                            + " use that one, or stop it first");
        }
        return past.unchanged().compareTo(seen.lasts()) < 0 ? new Look() : new Take();
    }
}
