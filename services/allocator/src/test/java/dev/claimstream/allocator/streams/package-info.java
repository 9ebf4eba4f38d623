/** Tests of the allocator's intake, topology, cells and restarts. */
@NullMarked
package dev.claimstream.allocator.streams;

import org.jspecify.annotations.NullMarked;
