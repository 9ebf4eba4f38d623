/** The inventory of a cell: nodes, the pools that each node can access, and the usage of each device. */
@NullMarked
package dev.claimstream.allocation.inventory;

import org.jspecify.annotations.NullMarked;
