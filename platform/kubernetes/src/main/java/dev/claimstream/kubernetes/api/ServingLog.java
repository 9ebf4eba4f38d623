package dev.claimstream.kubernetes.api;

/**
 * A log of decisions that wants to serve a cluster.
 *
 * @param id unlike that of any other log
 * @param isNew whether nothing was decided in it yet, so that it knows of the cluster what the cluster says and nothing else
 * @param where it is kept and by whom, for people to read
 */
public record ServingLog(String id, boolean isNew, String where) {}
