/** Replays a public trace of a cluster with shared GPUs on the solver. */
@NullMarked
package dev.claimstream.load.openb;

import org.jspecify.annotations.NullMarked;
