package dev.claimstream.audit;

/**
 * A checkpoint with its place.
 *
 * @param location its location, for messages
 */
public record PublishedCheckpoint(Checkpoint checkpoint, String location) {}
