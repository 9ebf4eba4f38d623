/** What there is: nodes, the pools that each of them reaches, and who holds which device. */
@NullMarked
package dev.claimstream.allocation.inventory;

import org.jspecify.annotations.NullMarked;
