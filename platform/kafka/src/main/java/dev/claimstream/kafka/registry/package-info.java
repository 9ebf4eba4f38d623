/**
 * Schema registries behind one small interface, in Confluent's protocol: the one that lives in the broker of this JVM, any that speaks
 * the protocol over HTTP, and one in memory.
 */
@NullMarked
package dev.claimstream.kafka.registry;

import org.jspecify.annotations.NullMarked;
