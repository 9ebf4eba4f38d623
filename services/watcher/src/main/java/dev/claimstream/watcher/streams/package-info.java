/** The watcher and the topics that it writes. */
@NullMarked
package dev.claimstream.watcher.streams;

import org.jspecify.annotations.NullMarked;
