/** Connects the core to Kafka. It contains no rule about devices. */
@NullMarked
package dev.claimstream.allocator.streams;

import org.jspecify.annotations.NullMarked;
