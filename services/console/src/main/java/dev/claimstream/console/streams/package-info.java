/** The Kafka consumer of the console. */
@NullMarked
package dev.claimstream.console.streams;

import org.jspecify.annotations.NullMarked;
