/**
 * The cell: a complete allocator for its nodes as one state machine. Observations come in, facts change the state, decisions and
 * explanations go out; facts alone rebuild it.
 */
@NullMarked
package dev.claimstream.allocation.cell;

import org.jspecify.annotations.NullMarked;
