package dev.claimstream.dra;

/**
 * An attribute that a request computes for each device. Only constraints of the claim read it.
 *
 * @param name fully qualified; hides a published attribute of the same name
 * @param expression a CEL expression over {@code device}; its result is a scalar or a list of scalars
 */
public record DerivedAttribute(String name, String expression) {}
