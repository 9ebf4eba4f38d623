/** Upstream's allocator and ours on the same questions, in one run. */
@NullMarked
package dev.claimstream.load.upstream;

import org.jspecify.annotations.NullMarked;
