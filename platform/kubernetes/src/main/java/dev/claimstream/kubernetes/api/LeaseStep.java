package dev.claimstream.kubernetes.api;

import java.time.Duration;
import java.util.Optional;

/** What one who wants a cluster for its log does about the lease that it has read: a function of the two alone. */
sealed interface LeaseStep {
    /** The lease is nobody's, or its holder is gone: make it ours. */
    record Take() implements LeaseStep {}

    /** It is ours: say that we are here. */
    record Renew() implements LeaseStep {}

    /** Its holder may still be there: look again. */
    record Look() implements LeaseStep {}

    /** The cluster is another log's. */
    record GiveUp(String why) implements LeaseStep {}

    /**
     * A lease as it was read.
     *
     * @param holder the id of a log; empty where nobody has it
     * @param where the holder is
     * @param lasts after its last renewal
     */
    record Seen(String holder, String where, Duration lasts) {}

    /**
     * What is known from before.
     *
     * @param isHeld whether the lease has been ours
     * @param isRenewed whether another holder has renewed it since we look
     * @param unchanged for how long it has been as it is, by our own clock
     */
    record Past(boolean isHeld, boolean isRenewed, Duration unchanged) {}

    /** The next step. */
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
