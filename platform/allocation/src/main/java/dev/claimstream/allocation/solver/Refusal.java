package dev.claimstream.allocation.solver;

/** Why a question cannot be put at all; the same on every node. */
public record Refusal(Reason reason, String message) {}
