/** The cluster in miniature over Kafka. */
@NullMarked
package dev.claimstream.kubernetes.streams;

import org.jspecify.annotations.NullMarked;
