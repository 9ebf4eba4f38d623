/**
 * The cell: a complete allocator for its nodes as one deterministic state machine.
 *
 * <p>Observations come in, facts change the state, and decisions and explanations go out. Facts alone rebuild the
 * state.
 */
@NullMarked
package dev.claimstream.allocation.cell;

import org.jspecify.annotations.NullMarked;
