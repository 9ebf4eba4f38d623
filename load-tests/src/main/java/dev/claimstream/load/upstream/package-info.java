/** Compares upstream's allocator and Claimstream's solver on the same clusters and claims. */
@NullMarked
package dev.claimstream.load.upstream;

import org.jspecify.annotations.NullMarked;
