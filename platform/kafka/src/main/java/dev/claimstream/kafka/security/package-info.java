/** Encryption and authentication of the clients of Kafka and of the schema registry. */
@NullMarked
package dev.claimstream.kafka.security;

import org.jspecify.annotations.NullMarked;
