package dev.claimstream.allocation.cell;

/**
 * Who says something and how new it is.
 *
 * @param source the source that brought it; only that source can change or withdraw it
 * @param epoch counts the listings of the source
 * @param version the higher, the newer, per object
 */
public record Stamp(String source, long epoch, long version) {}
