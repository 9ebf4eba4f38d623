/** The topics that the writer reads and writes. */
@NullMarked
package dev.claimstream.writer.streams;

import org.jspecify.annotations.NullMarked;
