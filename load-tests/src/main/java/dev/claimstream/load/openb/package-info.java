/** The public trace of a GPU cluster with shared GPUs, replayed on the solver. */
@NullMarked
package dev.claimstream.load.openb;

import org.jspecify.annotations.NullMarked;
