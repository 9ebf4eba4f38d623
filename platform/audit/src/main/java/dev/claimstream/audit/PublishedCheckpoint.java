package dev.claimstream.audit;

/**
 * A checkpoint with its place.
 *
 * @param place where it is, for people
 */
public record PublishedCheckpoint(Checkpoint checkpoint, String place) {}
