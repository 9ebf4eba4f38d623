package dev.claimstream.allocation.solver;

import dev.claimstream.dra.ClaimSpec;
import dev.claimstream.dra.ObjectKey;

/** A claim without an allocation that the allocator has to allocate. */
public record UnallocatedClaim(ObjectKey claim, String uid, ClaimSpec spec) {}
