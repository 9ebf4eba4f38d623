package dev.claimstream.kubernetes.api;

import dev.claimstream.kafka.LogProgress;

/**
 * A decision log that wants to serve a cluster.
 *
 * @param id unique among logs
 * @param isNew whether no writer of the log has served a cluster, so that the log knows only what the cluster contains
 * @param location location and owner of the log, for people
 * @param progress the end of the log
 * @param leaseVersion a resourceVersion that the Lease of the cluster had when a process of the log wrote to it; 0 if unknown. A lower
 *     version proves that the cluster was restored from a backup meanwhile
 */
public record CandidateLog(String id, boolean isNew, String location, LogProgress progress, long leaseVersion) {
    /** A log without knowledge of earlier versions. */
    public CandidateLog(String id, boolean isNew, String location, LogProgress progress) {
        this(id, isNew, location, progress, 0);
    }
}
