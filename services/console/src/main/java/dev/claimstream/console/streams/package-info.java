/** Reads the topics that the console shows. */
@NullMarked
package dev.claimstream.console.streams;

import org.jspecify.annotations.NullMarked;
