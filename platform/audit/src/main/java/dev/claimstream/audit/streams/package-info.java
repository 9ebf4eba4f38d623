/** Reads the log from topics, and replays it through the cell. */
@NullMarked
package dev.claimstream.audit.streams;

import org.jspecify.annotations.NullMarked;
