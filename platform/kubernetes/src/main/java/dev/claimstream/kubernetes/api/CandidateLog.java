package dev.claimstream.kubernetes.api;

import dev.claimstream.kafka.LogProgress;

/**
 * A decision log that wants to serve a cluster.
 *
 * @param id unique among logs
 * @param isNew whether the log contains no decision yet, so that it knows only what the cluster contains
 * @param location location and owner of the log, for people
 * @param progress the end of the log
 */
public record CandidateLog(String id, boolean isNew, String location, LogProgress progress) {}
