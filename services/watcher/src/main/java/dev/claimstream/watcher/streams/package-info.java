/** The topics that the watcher writes. */
@NullMarked
package dev.claimstream.watcher.streams;

import org.jspecify.annotations.NullMarked;
