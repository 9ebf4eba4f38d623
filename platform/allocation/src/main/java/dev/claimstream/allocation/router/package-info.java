/**
 * The router: where there are several cells, it says which node is in which cell, and lends every work item to one cell at a time.
 * The second state machine of the core, of the same form as the cell.
 */
@NullMarked
package dev.claimstream.allocation.router;

import org.jspecify.annotations.NullMarked;
