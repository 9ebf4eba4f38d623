/**
 * The router of installations with several cells. It assigns nodes to cells, and each work item to one cell at a time.
 *
 * <p>It is the second state machine of the core and has the same form as a cell.
 */
@NullMarked
package dev.claimstream.allocation.router;

import org.jspecify.annotations.NullMarked;
