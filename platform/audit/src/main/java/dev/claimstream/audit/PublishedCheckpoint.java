package dev.claimstream.audit;

/**
 * A checkpoint with its place.
 *
 * @param place its location, for messages
 */
public record PublishedCheckpoint(Checkpoint checkpoint, String place) {}
