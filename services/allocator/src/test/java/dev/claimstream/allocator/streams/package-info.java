/** The shells around a cell, without a broker. */
@NullMarked
package dev.claimstream.allocator.streams;

import org.jspecify.annotations.NullMarked;
