/** A real Kafka broker inside this JVM, for one machine without a cluster. */
@NullMarked
package dev.claimstream.kafka.broker;

import org.jspecify.annotations.NullMarked;
