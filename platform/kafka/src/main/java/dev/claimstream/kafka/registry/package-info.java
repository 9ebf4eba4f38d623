/** Schema registries in Confluent's protocol: embedded, remote over HTTP, and in memory. */
@NullMarked
package dev.claimstream.kafka.registry;

import org.jspecify.annotations.NullMarked;
