package dev.claimstream.allocation.solver;

import dev.claimstream.dra.ClaimSpec;
import dev.claimstream.dra.ObjectKey;

/** A claim to be decided. */
public record Asked(ObjectKey claim, String uid, ClaimSpec spec) {}
