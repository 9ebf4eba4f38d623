package dev.claimstream.kubernetes.api;

/**
 * A decision log that wants to serve a cluster.
 *
 * @param id unique among logs
 * @param isNew whether the log contains no decision yet, so that it knows only what the cluster contains
 * @param where location and owner of the log, for people
 */
public record ServingLog(String id, boolean isNew, String where) {}
