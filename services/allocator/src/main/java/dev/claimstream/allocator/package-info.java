/** The allocator: the intake assigns the total order of events, the cells allocate. */
@NullMarked
package dev.claimstream.allocator;

import org.jspecify.annotations.NullMarked;
