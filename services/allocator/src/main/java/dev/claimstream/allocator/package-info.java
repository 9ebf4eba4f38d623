/** The allocator: an intake that puts the world in order, and cells that decide. */
@NullMarked
package dev.claimstream.allocator;

import org.jspecify.annotations.NullMarked;
