/** Tests of the allocator's settings. */
@NullMarked
package dev.claimstream.allocator;

import org.jspecify.annotations.NullMarked;
