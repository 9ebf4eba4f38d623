package dev.claimstream.allocation.solver;

/** Why the claims of an item are rejected; the same on every node. */
public record Refusal(Reason reason, String message) {}
