/** A Kafka broker inside this JVM, for a single machine. */
@NullMarked
package dev.claimstream.kafka.broker;

import org.jspecify.annotations.NullMarked;
