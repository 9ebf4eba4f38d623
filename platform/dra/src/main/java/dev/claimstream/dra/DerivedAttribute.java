package dev.claimstream.dra;

/**
 * An attribute that a request computes for each device, for its constraints alone.
 *
 * @param name fully qualified; it hides a published attribute of the same name
 * @param expression CEL over {@code device}, a plain value or a list of them
 */
public record DerivedAttribute(String name, String expression) {}
