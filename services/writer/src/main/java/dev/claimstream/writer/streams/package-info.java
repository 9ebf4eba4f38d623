/** The writer and the topic that it writes. */
@NullMarked
package dev.claimstream.writer.streams;

import org.jspecify.annotations.NullMarked;
