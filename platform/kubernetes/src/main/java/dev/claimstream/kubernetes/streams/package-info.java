/** Stores a simulated cluster in Kafka. */
@NullMarked
package dev.claimstream.kubernetes.streams;

import org.jspecify.annotations.NullMarked;
