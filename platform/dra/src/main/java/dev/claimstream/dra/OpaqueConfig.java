package dev.claimstream.dra;

/**
 * Parameters for a driver that nobody else reads.
 *
 * @param parameters a JSON value as text
 */
public record OpaqueConfig(String driver, String parameters) {}
