/** The shells that carry records to the core and back; no rule about devices is here. */
@NullMarked
package dev.claimstream.allocator.streams;

import org.jspecify.annotations.NullMarked;
