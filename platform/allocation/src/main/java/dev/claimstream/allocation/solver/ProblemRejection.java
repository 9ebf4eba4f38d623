package dev.claimstream.allocation.solver;

/** Why the claims of an item are rejected; the same on every node. */
public record ProblemRejection(Reason reason, String message) {}
