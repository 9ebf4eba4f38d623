/** Stores a cluster in miniature in Kafka. */
@NullMarked
package dev.claimstream.kubernetes.streams;

import org.jspecify.annotations.NullMarked;
