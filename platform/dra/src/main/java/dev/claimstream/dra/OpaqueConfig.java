package dev.claimstream.dra;

/**
 * Opaque parameters for one driver.
 *
 * @param parameters a JSON value as text
 */
public record OpaqueConfig(String driver, String parameters) {}
